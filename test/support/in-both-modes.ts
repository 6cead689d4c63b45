import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from './gateway-in-process.ts'
import { answer, type WireCase } from './wire-case.ts'

/** What one difference of src/s3/compatibility.ts does, in each mode. */
interface Modes {
  /** Further settings of both. */
  readonly settings?: Readonly<Record<string, string>>
  /** Puts in place what the requests need. */
  readonly prepare?: (gateway: GatewayInProcess) => Promise<void>
  /** Requests with the answer that the contract specifies. */
  readonly contract: readonly WireCase[]
  readonly aws: readonly WireCase[]
}

/** Sends the requests of each mode, in order, to a gateway in that mode. */
export function testInBothModes({ settings, prepare, ...modes }: Modes): void {
  for (const [mode, cases] of Object.entries(modes)) {
    test(`COMPATIBILITY=${mode}`, async (t) => {
      const gateway = await startGatewayInProcess(t, { ...settings, COMPATIBILITY: mode })
      await prepare?.(gateway)
      for (const wireCase of cases) {
        await t.test(wireCase.title, async () => void (await answer(gateway, wireCase)))
      }
    })
  }
}
