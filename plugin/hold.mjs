// Afar's hold on the guard. It decides nothing: the verdicts are those of the
// PreToolUse hook. Seated first (prependPlugins in the person's settings), it
// keeps other mods from overruling a call that the hook denied or asked about.
// Everywhere else they keep their say. Where it does not load, the hooks work as
// they do without it.

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
}
