import { inspect, parseArgs } from 'node:util'
import { DriveError } from '../src/drives/drive.ts'
import { DatabaseError } from '../src/state/database.ts'
import { failureText } from '../src/wiring/failure-text.ts'
import { currentEnvironment } from '../src/wiring/settings/environment.ts'
import { SettingsError } from '../src/wiring/settings/setting.ts'
import { verify } from '../src/wiring/verify.ts'

/** Compares the objects of a bucket with their ETags and checksums, as described in docs/verify.md. */

const usage = `usage: npm run verify -- BUCKET [--prefix PREFIX] [--json]
`

/** The status if the report is incomplete. It is not 1, because 1 means that an object differs. */
const incomplete = 2

// The reader of the report has closed the pipe.
process.stdout.on('error', () => process.exit(incomplete))
process.exitCode = await run()

async function run(): Promise<number> {
  const command = commandLine()
  if (command === undefined) {
    process.stderr.write(usage)
    return incomplete
  }
  try {
    return await verify({
      environment: currentEnvironment(),
      ...command,
      output: {
        write: (text) => void process.stdout.write(text),
        ...(process.stderr.isTTY && { showProgress }),
      },
      writeLog: (line) => void process.stderr.write(line),
    })
  } catch (error) {
    const isForPeople = [SettingsError, DatabaseError, DriveError].some(
      (kind) => error instanceof kind,
    )
    process.stderr.write(`${isForPeople ? failureText(error) : inspect(error)}\n`)
    return incomplete
  }
}

/** Undefined if the arguments are not valid. */
function commandLine() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        prefix: { type: 'string', default: '' },
        json: { type: 'boolean', default: false },
      },
    })
    const [bucket, ...rest] = positionals
    if (bucket === undefined || rest.length > 0) return undefined
    return { bucket, prefix: values.prefix, isJson: values.json }
  } catch {
    // parseArgs would only name the unknown argument; the usage lists all of them.
    return undefined
  }
}

/** Overwrites the current line (ECMA-48, "EL"). */
function showProgress(text: string): void {
  process.stderr.write(`\r\u001b[K${text}`)
}
