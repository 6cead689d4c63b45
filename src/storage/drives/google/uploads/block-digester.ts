import type { Md5State } from '../../../../platform/checksums/md5.ts'
import { CallThread } from '../../../../platform/process/call-thread.ts'

export interface DigestRequest {
  readonly md5: Md5State
  readonly bytes: ArrayBuffer
}

export type DigestResult = DigestRequest

export interface DigestedBlock {
  readonly md5: Md5State
  readonly block: Buffer<ArrayBuffer>
}

/**
 * Digests blocks in a thread: resumable MD5 takes a third of the CPU time of an upload
 * (bench/README.md), and sending to Google must not wait for it.
 */
export class BlockDigester {
  readonly #thread = new CallThread<DigestRequest, DigestResult>(
    new URL('./digest-thread.ts', import.meta.url),
  )

  /** Blocks that are not digested yet. */
  get pending(): number {
    return this.#thread.pending
  }

  /**
   * @param block a block that shares its memory with no other. It is transferred to the thread:
   *   only the returned block may be used afterwards.
   */
  async digest(state: Md5State, block: Buffer<ArrayBuffer>): Promise<DigestedBlock> {
    const { buffer } = block
    const { md5, bytes } = await this.#thread.call({ md5: state, bytes: buffer }, [buffer])
    return { md5, block: Buffer.from(bytes) }
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }
}
