import type { ChecksumAlgorithm } from '../../../platform/checksums/checksum.ts'
import { CallThread } from '../../../platform/process/call-thread.ts'
import {
  type BodyWriter,
  type PayloadDigest,
  type PayloadSink,
  payloadBlockBytes,
} from './payload-writer.ts'

export interface DigestCall {
  /** Identifies the payload in this process. */
  readonly payload: number
  readonly step: 'update' | 'digest' | 'discard'
  readonly digests: {
    readonly algorithm: ChecksumAlgorithm | undefined
    readonly withSha256: boolean
  }
  /** For `update`. Transferred to the thread and back, unless both share it. */
  readonly block?: ArrayBuffer | SharedArrayBuffer
  /** The number of payload bytes at the beginning of the block. */
  readonly filled?: number
}

export interface DigestedBlock {
  readonly block: ArrayBuffer | SharedArrayBuffer | undefined
  readonly digest: PayloadDigest | undefined
}

/** Each block causes several wake-ups of threads: with 256 KiB, a sixth of the CPU time of an upload. */
export const largeBlockBytes = 1024 * 1024

/** Unused blocks are freed after this time. */
const idleMs = 5_000

const unused: Buffer[] = []
let idle: NodeJS.Timeout | undefined

/**
 * A block in memory that threads share. V8 counts each transfer of a block between threads as an allocation, and so
 * collects garbage about every 50 MiB: a sixth of the CPU time of an upload. Shared memory does not count, so unused blocks
 * are reused instead of leaving them to the collector.
 */
function takeLargeBlock(): Buffer {
  return unused.pop() ?? Buffer.from(new SharedArrayBuffer(largeBlockBytes))
}

/** Returns a block that no thread uses any longer. */
function returnLargeBlock(block: Buffer): void {
  unused.push(block)
  idle = idle?.refresh() ?? setTimeout(() => unused.splice(0), idleMs).unref()
}

/** One block is filled, one is written and one is digested. */
const maxBlocks = 3

/** For smaller payloads, the write and digest of a large last block take longer than the wake-ups. */
const minLargeBytes = 8 * largeBlockBytes

/** Further writers use blocks of `payloadBlockBytes` so that many slow clients do not fill the memory. */
export const maxLargeWriters = 8
let largeWriters = 0

/** One thread for all payloads of the process. It ends after a while without payloads. */
const thread = new CallThread<DigestCall, DigestedBlock>(
  new URL('./payload-thread.ts', import.meta.url),
  { resourceLimits: { maxYoungGenerationSizeMb: 2 } },
)

/** The number of blocks that are not digested yet. */
export function pendingDigests(): number {
  return thread.pending
}

let lastPayload = 0

/**
 * Writes a large payload to a sink in blocks, each of which a thread then digests. MD5 takes half the CPU time of a large
 * upload, during which the event loop reads the next bytes.
 */
export class ThreadedWriter implements BodyWriter {
  readonly #sink: PayloadSink
  readonly #digests: DigestCall['digests']
  readonly #payload = ++lastPayload
  #release: (() => void) | undefined = thread.hold()
  readonly #isLarge: boolean
  readonly #blockBytes: number
  #block: Buffer
  #filled = 0
  #blocks = 1
  readonly #free: Buffer[] = []
  /** The write in progress, after which its block is sent to the thread. */
  #writing: Promise<void> | undefined
  /** Resolves when the thread has digested the last block that was sent. */
  #digesting: Promise<void> | undefined
  /** Bytes that were sent to the thread. */
  #sent = 0

  /** @param size number of bytes; 0 if unknown. */
  constructor(
    sink: PayloadSink,
    algorithm: ChecksumAlgorithm | undefined,
    size = 0,
    withSha256 = false,
  ) {
    this.#sink = sink
    this.#digests = { algorithm, withSha256 }
    this.#isLarge = size >= minLargeBytes && largeWriters < maxLargeWriters
    if (this.#isLarge) largeWriters += 1
    this.#blockBytes = this.#isLarge ? largeBlockBytes : payloadBlockBytes
    this.#block = this.#newBlock()
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#filled + bytes.length >= this.#blockBytes) return this.#writeThrough(bytes)
    this.#gather(bytes)
    return undefined
  }

  /** @throws Error with code EIO if the thread ended */
  async finish(): Promise<PayloadDigest> {
    if (this.#filled > 0) await this.#flush()
    await this.#writing
    await this.#digesting
    const { digest } = await this.#call({ step: 'digest' })
    this.#end()
    // If the thread ended, its successor has digested only the later blocks.
    if (digest?.size === this.#sent) return digest
    throw Object.assign(new Error('The digest thread ended during the payload.'), { code: 'EIO' })
  }

  async idle(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    if (this.#release === undefined) return
    // Fails if the thread has ended; there is nothing to discard then.
    if (this.#sent > 0) this.#call({ step: 'discard' }).catch(() => undefined)
    this.#end()
  }

  async #writeThrough(bytes: Uint8Array): Promise<void> {
    let rest = bytes
    while (this.#filled + rest.length >= this.#blockBytes) {
      const part = rest.subarray(0, this.#blockBytes - this.#filled)
      rest = rest.subarray(part.length)
      this.#gather(part)
      await this.#flush()
    }
    this.#gather(rest)
  }

  #gather(bytes: Uint8Array): void {
    const filled = this.#filled + bytes.length
    // `set` copies to shared memory in steps of 8 bytes: a tenth of the CPU time of an upload.
    this.#block.fill(bytes, this.#filled, filled)
    this.#filled = filled
  }

  /** Starts writing the block and takes another one to fill. */
  async #flush(): Promise<void> {
    await this.#writing
    this.#writing = this.#writeBlock(this.#block, this.#filled)
    // Avoids an unhandled rejection until the next await.
    this.#writing.catch(() => undefined)
    this.#filled = 0
    this.#block = await this.#takeBlock()
  }

  async #writeBlock(block: Buffer, filled: number): Promise<void> {
    try {
      await this.#sink.write(block.subarray(0, filled))
    } catch (error) {
      this.#free.push(block)
      throw error
    }
    this.#digesting = this.#digest(block, filled)
    this.#digesting.catch(() => undefined)
  }

  async #digest(block: Buffer, filled: number): Promise<void> {
    this.#sent += filled
    const { block: digested } = await this.#call({ step: 'update', block: block.buffer, filled })
    this.#free.push(Buffer.from(digested as ArrayBufferLike))
    if (this.#release === undefined) this.#returnBlocks()
  }

  async #takeBlock(): Promise<Buffer> {
    if (this.#free.length === 0 && this.#blocks < maxBlocks) {
      this.#blocks += 1
      return this.#newBlock()
    }
    while (this.#free.length === 0) {
      await this.#digesting
      if (this.#free.length === 0) await this.#writing
    }
    return this.#free.pop() as Buffer
  }

  #end(): void {
    if (this.#release === undefined) return
    this.#release()
    this.#release = undefined
    this.#free.push(this.#block)
    this.#returnBlocks()
    if (this.#isLarge) largeWriters -= 1
  }

  #newBlock(): Buffer {
    return this.#isLarge ? takeLargeBlock() : Buffer.allocUnsafeSlow(payloadBlockBytes)
  }

  #returnBlocks(): void {
    if (this.#isLarge) this.#free.splice(0).forEach(returnLargeBlock)
  }

  #call(call: Omit<DigestCall, 'payload' | 'digests'>): Promise<DigestedBlock> {
    const { block } = call
    const sent = { ...call, payload: this.#payload, digests: this.#digests }
    return thread.call(sent, block instanceof ArrayBuffer ? [block] : [])
  }
}
