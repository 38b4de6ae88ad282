// Afar's hold on the guard. It decides nothing: the verdicts are those of the
// PreToolUse hook. Seated first (prependPlugins in the person's settings), it
// keeps other mods from overruling a call that the hook denied or asked about.
// Everywhere else they keep their say. It also submits what the person writes from
// afar as their own prompt. Where it does not load, the hooks work as they do
// without it.

// Calls on which the hook had no opinion. Where this was lost, the hold asks once more.
const silent = new Set()
const most = 10000

// How many mods of the person hear PreToolUse, ConfigChange or PreSkillShellCommand.
let preToolUse = 0
let configChange = 0
let skillShell = 0

const hears = (uses, event) =>
  uses.events.some((name) => name === event || (name.endsWith("*") && event.startsWith(name.slice(0, -1))))

const isEmpty = (verdict) => !verdict || Object.keys(verdict).length === 0

// Where prompts come from that nobody typed, by their text. The hook is told, because
// its input does not say it.
const origins = new Map()

const setOrigin = (text, origin) => {
  if (origins.size >= most) origins.clear()
  origins.set(text.trim(), origin)
}

// Waits for texts of the person, and prints one. It is one of the hooks' programs.
const waiter = decodeURIComponent(new URL("../bin/hook-stop-rewake", import.meta.url).pathname)

// How often in a row the waiter may fail before a turn has to start it again.
const mostFailures = 10

// A terminal's prompts can be submitted while the waiter runs; a print session would wait for it.
let terminal = false
let submitting = false

// Submits the texts of the person, one after the other. Submitting ends only when the turn of the
// prompt begins, so nothing waits for that. A prompt that is refused is offered again by a hook.
async function submitAll($) {
  for (let failures = 0; failures < mostFailures; ) {
    const stdin = JSON.stringify({ hook_event_name: "Stop", session_id: await $.session.id() })
    const r = await $.process.run([waiter, "--prompt"], { stdin, timeoutMs: 600000 })
    failures = r.exitCode === 0 ? 0 : failures + 1
    if (r.exitCode !== 0 || r.stdout === "") continue
    const { prompt } = JSON.parse(r.stdout)
    setOrigin(prompt, "afar")
    $.prompt.submit({ text: prompt, asUser: true }).catch(() => {})
  }
}

function startSubmitting($) {
  if (!terminal || submitting) return
  submitting = true
  const over = () => { submitting = false }
  submitAll($).then(over, over)
}

export const register = (on) => {
  // A mod that a session wrote for itself does not load. All others do.
  on("plugin.register", async ($, e, next) => {
    if (/[\\/]dev-mods[\\/][^\\/]+[\\/][^\\/]+[\\/]?$/.test(e.root)) {
      return { refuse: "a session wrote this mod, and mods can overrule Afar's guard" }
    }
    const verdict = await next(e)
    const loads = e.tier === "user" && !(verdict && verdict.refuse)
    if (loads && hears(e.uses, "classic.PreToolUse")) preToolUse++
    if (loads && hears(e.uses, "classic.ConfigChange")) configChange++
    if (loads && hears(e.uses, "classic.PreSkillShellCommand")) skillShell++
    return verdict
  }).catch(($, e, next) => (next.called ? next(e) : { refuse: "Afar could not look at this mod" }))

  // The hooks are asked first, past all mods; the mods after that, unless a hook spoke.
  on("classic.PreToolUse", async ($, e, next) => {
    const own = await next.to(e, "append")
    if (!isEmpty(own)) return own
    if (silent.size >= most) silent.clear()
    silent.add(e.tool_use_id)
    return preToolUse > 0 ? next(e) : own
  }).catch(() => ({ deny: "Afar's hold failed, so this call does not run." }))

  // A command in the text of a skill or command runs at once, so no check follows. A client that
  // does not know the event refuses a module that names it in on().
  on("classic.*", async ($, e, next) => {
    if (e.hook_event_name !== "PreSkillShellCommand") return next(e)
    const own = await next.to(e, "append")
    return isEmpty(own) && skillShell > 0 ? next(e) : own
  }).catch(($, e, next) =>
    e.hook_event_name === "PreSkillShellCommand"
      ? { deny: "Afar's hold failed, so this command does not run." }
      : next(e))

  on("classic.ConfigChange", async ($, e, next) => {
    const own = await next.to(e, "append")
    return isEmpty(own) && configChange > 0 ? next(e) : own
  })

  // The engine knows the hook's verdict, so asking it past all mods starts nothing.
  on("tool.check", async ($, e, next) => {
    const all = await next(e)
    if (all.decision === "deny" || silent.delete(e.tool_use_id)) return all
    const own = await next.to(e, "append")
    return own.decision !== "allow" && own.hook === "PreToolUse" ? own : all
  }).catch(() => ({ decision: "deny", reason: "Afar's hold failed, so this call does not run." }))

  on("session.start", ($, e, next) => {
    terminal = e.isInteractive
    startSubmitting($)
    return next(e)
  })

  on("turn.complete", ($, e, next) => {
    startSubmitting($)
    return next(e)
  })

  on("prompt.submit", ($, e, next) => {
    if (e.origin.kind !== "composer") setOrigin(e.text, e.origin.kind)
    return next(e)
  })

  on("classic.UserPromptSubmit", ($, e, next) => {
    const text = e.prompt.trim()
    const origin = origins.get(text)
    origins.delete(text)
    return next(origin ? { ...e, afar_origin: origin } : e)
  })
}
