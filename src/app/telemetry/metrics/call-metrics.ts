import type { CallEntry } from '../../../models/calls/call-record.ts'
import { Histogram, type SnapshotBuilder } from './snapshot.ts'

const firstByteBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Calls of models of this process. Never by key, connection or model, which are not fixed lists. */
export class CallMetrics {
  readonly #attempts = new Map<string, number>()
  readonly #firstBytes = new Histogram(firstByteBounds)
  #fallbacks = 0
  #inputTokens = 0
  #outputTokens = 0

  readonly note = ({ path, failed, isFallback, tokens, firstByteMs }: CallEntry): void => {
    const key = JSON.stringify([path, failed ?? 'ok'])
    this.#attempts.set(key, (this.#attempts.get(key) ?? 0) + 1)
    if (isFallback) this.#fallbacks += 1
    this.#inputTokens += tokens?.input ?? 0
    this.#outputTokens += tokens?.output ?? 0
    const hasBegun = failed === undefined || failed === 'broken'
    if (hasBegun) this.#firstBytes.observe(firstByteMs / 1_000)
  }

  addTo(snapshot: SnapshotBuilder): void {
    for (const [key, count] of this.#attempts) {
      const [path, outcome] = JSON.parse(key) as [string, string]
      snapshot.add('bucketry_model_attempts_total', count, { path, outcome })
    }
    snapshot.add('bucketry_model_fallbacks_total', this.#fallbacks)
    snapshot.add('bucketry_model_tokens_total', this.#inputTokens, { direction: 'input' })
    snapshot.add('bucketry_model_tokens_total', this.#outputTokens, { direction: 'output' })
    snapshot.addHistogram('bucketry_model_first_byte_seconds', this.#firstBytes)
  }
}
