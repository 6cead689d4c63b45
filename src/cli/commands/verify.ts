import { verify } from '../../wiring/commands/verify.ts'
import type { CommandCall } from '../command.ts'

/** Compares the objects of a bucket with their ETags and checksums, as described in docs/verify.md. */
export async function verifyCommand(call: CommandCall): Promise<number> {
  const { environment, buckets, operands, options } = call
  return await verify({
    ...{ environment, buckets },
    bucket: operands[0] ?? '',
    prefix: typeof options.prefix === 'string' ? options.prefix : '',
    isJson: options.json === true,
    output: {
      write: (text) => void process.stdout.write(text),
      ...(process.stderr.isTTY && { showProgress }),
    },
    writeLog: (line) => void process.stderr.write(line),
  })
}

/** Overwrites the current line (ECMA-48, "EL"). */
function showProgress(text: string): void {
  process.stderr.write(`\r\u001b[K${text}`)
}
