import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from './gateway-in-process.ts'
import { answer, type WireCase } from './wire-case.ts'

/** Requests in order, or a function that puts in place what they need, and then knows them. */
type Cases = readonly WireCase[] | ((gateway: GatewayInProcess) => Promise<readonly WireCase[]>)

/** What one difference of src/storage/s3/compatibility.ts does, in each mode. */
interface Modes {
  /** Further settings of both. */
  readonly settings?: Readonly<Record<string, string>>
  /** Puts in place what the requests need. */
  readonly prepare?: (gateway: GatewayInProcess) => Promise<void>
  /** With the answer that the contract specifies. */
  readonly contract: Cases
  readonly aws: Cases
}

/** Sends the requests of each mode, in order, to a gateway in that mode. */
export function testInBothModes({ settings, prepare, ...modes }: Modes): void {
  for (const [mode, cases] of Object.entries(modes)) {
    test(`COMPATIBILITY=${mode}`, async (t) => {
      const gateway = await startGatewayInProcess(t, { ...settings, COMPATIBILITY: mode })
      await prepare?.(gateway)
      for (const wireCase of typeof cases === 'function' ? await cases(gateway) : cases) {
        await t.test(wireCase.title, async () => void (await answer(gateway, wireCase)))
      }
    })
  }
}
