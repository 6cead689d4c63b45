import { type CommandCall, UsageError } from '../command.ts'
import { connectGoogle } from '../connect/google/connect-google.ts'
import { openTerminal } from '../connect/terminal.ts'

/** Connects Bucketry to a cloud drive, as described in docs/google-drive.md. */
export async function connectCommand({
  environment,
  operands,
  options,
}: CommandCall): Promise<number> {
  if (operands[0] !== 'google') {
    throw new UsageError(`${JSON.stringify(operands[0])} cannot be connected: expected google.`)
  }
  const port = String(options['redirect-port'] ?? '0')
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(
      `--redirect-port is ${JSON.stringify(port)}: expected a number from 0 to 65535.`,
    )
  }
  const text = (name: string) => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const remote = text('from-rclone')
  // The flag of the setting DRIVE: a location has a colon, a name has none.
  const { DRIVE: drive, ...others } = environment
  const isName = drive !== undefined && /^[A-Z][A-Z0-9_]*$/.test(drive)
  const terminal = openTerminal(process.stdin, process.stdout)
  try {
    await connectGoogle({
      ...(isName ? { environment: others, drive } : { environment }),
      terminal,
      file: text('file'),
      port: Number(port),
      rclone: remote === undefined ? undefined : { remote, config: text('config') },
    })
    return 0
  } finally {
    terminal.close()
  }
}
