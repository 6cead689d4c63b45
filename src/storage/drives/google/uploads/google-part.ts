import type { Md5State } from '../../../../platform/checksums/md5.ts'
import type { PartDraft } from '../../drive.ts'
import { endingPart } from '../../kit/uploads/upload-rules.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import type { OpenDrive } from '../open-drive.ts'
import { Blocks, blockBytes, wholeBlocks } from './send-memory.ts'
import { SessionStream } from './session-stream.ts'
import { type ReadySession, readySession, rebuildSession } from './upload-sessions.ts'
import { encodeState, type GoogleUploadState } from './upload-state.ts'

interface PartOptions {
  readonly state: GoogleUploadState
  /** Committed bytes after the last whole block. */
  readonly carry: Uint8Array
  readonly append: AppendOptions
}

interface Sending extends ReadySession {
  readonly stream: SessionStream
}

export function googlePart(drive: OpenDrive, options: PartOptions): PartDraft {
  return endingPart(new GooglePart(drive, options))
}

/** A part that is sent to the upload's session, block by block. */
class GooglePart implements PartDraft {
  readonly #drive: OpenDrive
  readonly #options: PartOptions
  readonly #blocks: Blocks
  readonly #committed: number
  #md5: Md5State
  /** Where the next block begins. */
  #position: number
  #size: number
  #sending: Sending | undefined

  constructor(drive: OpenDrive, options: PartOptions) {
    const { state, carry } = options
    this.#drive = drive
    this.#options = options
    this.#blocks = new Blocks(drive.memory.blocks, carry)
    this.#committed = wholeBlocks(state.size)
    this.#position = this.#committed
    this.#md5 = state.md5
    this.#size = state.size
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#options.append.signal?.throwIfAborted()
    this.#size += chunk.length
    for (const block of this.#blocks.add(chunk)) await this.#take(block)
  }

  async commit(): Promise<string> {
    const { state } = this.#options
    await this.#sending?.stream.flush()
    await this.discard()
    const { rest } = this.#blocks
    if (rest.length > 0) {
      const bytes = Buffer.from(rest).toString('base64')
      await this.#drive.records.saveCarry(state.id, { size: this.#size, bytes })
    }
    return encodeState({ ...state, size: this.#size, md5: this.#md5 })
  }

  async discard(): Promise<void> {
    await this.#sending?.stream.stop()
  }

  async #take(full: Buffer<ArrayBuffer>): Promise<void> {
    const { md5, block } = await this.#drive.digester.digest(this.#md5, full)
    this.#sending ??= await this.#start()
    const digest = this.#sending.known[(this.#position - this.#committed) / blockBytes]
    if (digest !== undefined && digest !== md5) this.#sending = this.#stream(await this.#restart())
    if (this.#position >= this.#sending.position) await this.#sending.stream.push(block, md5)
    this.#md5 = md5
    this.#position += blockBytes
  }

  /** Checks for space first, because Google counts an upload's bytes only at its end. */
  async #start(): Promise<Sending> {
    const { state, append } = this.#options
    await this.#drive.space.assert(state.size + (append.size ?? 0))
    return this.#stream(await readySession(this.#drive, state))
  }

  /** These bytes differ from those sent to the session: a new session starts where they differ. */
  async #restart(): Promise<ReadySession> {
    await this.#sending?.stream.flush()
    await this.#sending?.stream.stop()
    return await rebuildSession(this.#drive, this.#options.state, this.#position)
  }

  #stream(ready: ReadySession): Sending {
    const { api, records, memory } = this.#drive
    const { state, append } = this.#options
    const { session, position, known } = ready
    const stream = new SessionStream({
      api,
      memory,
      position,
      url: session.url,
      announcedUntil: this.#committed + known.length * blockBytes,
      announce: (at, digests) => records.announce(state.id, at / blockBytes, digests),
      expectedEnd: append.size === undefined ? undefined : append.offset + append.size,
      signal: append.signal,
    })
    return { ...ready, stream }
  }
}
