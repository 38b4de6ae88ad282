// Written by "afar guard install --for opencode". It puts each call to Afar's guard, and throws if the guard refuses it,
// does not answer, or cannot be started. "afar guard remove --for opencode" takes this file away.
import { spawn } from "node:child_process"

export const AfarGuard = async ({ directory }) => ({
  "tool.execute.before": (input, output) =>
    new Promise((pass, refuse) => {
      const said = []
      const guard = spawn(PROGRAM, ["--agent=opencode"]) // directly: the guard takes its parent for the agent
      guard.stderr.on("data", (part) => said.push(part))
      guard.on("error", (e) => refuse(new Error("Afar's guard could not be started: " + e.message)))
      guard.stdin.on("error", () => {}) // it has ended; its exit code says why
      guard.on("close", (code) => {
        const why = Buffer.concat(said).toString().trim()
        if (code === 0) pass()
        else refuse(new Error(why || "Afar's guard did not answer, so this call does not run"))
      })
      const { tool, sessionID, callID } = input
      guard.stdin.end(JSON.stringify({ tool, sessionID, callID, directory, args: output.args }))
    }),
})
