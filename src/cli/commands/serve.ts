import type { CommandCall } from '../command.ts'

/** Serves until a signal ends the process. */
export async function serveCommand(call: CommandCall): Promise<undefined> {
  const { runPrimary } = await import('../../wiring/processes/primary.ts')
  await runPrimary(call)
  return undefined
}
