import type { ChecksumAlgorithm } from '../../drives/attributes.ts'
import type { PayloadDigest, PayloadSink } from '../body/payload.ts'

/** Where the bytes of a part come from: a request's body, or an object that is copied. */
export interface PartSource {
  /** Number of bytes, if known. */
  readonly size?: number | undefined
  /** Aborts when the part is no longer needed. */
  readonly signal: AbortSignal
  /**
   * Writes all bytes into the sink and says what they were, with a checksum of this algorithm if
   * one is given. Called once, when it is the part's turn or there is memory to hold it until then.
   */
  pour(sink: PayloadSink, algorithm: ChecksumAlgorithm | undefined): Promise<PayloadDigest>
}
