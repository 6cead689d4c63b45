import type { Kept } from './versioned-bucket.ts'

/** What a drive must know of one key: the rules of versions as simple code. */
export class KeyModel {
  /** The object, if there is one. */
  #current: Kept | undefined
  /** Former versions and delete markers, the newest first. The first one is a marker if the object was deleted. */
  #former: readonly Kept[] = []

  /** Everything that a listing shows. */
  get history(): readonly Kept[] {
    return this.#current === undefined ? this.#former : [this.#current, ...this.#others]
  }

  /** The version that can be read without an ID. */
  get current(): Kept | undefined {
    return this.#current
  }

  /** Whether there was an object, and a hand has taken it away. */
  get isGone(): boolean {
    const [newest] = this.#former
    return this.#current === undefined && newest !== undefined && newest.text !== undefined
  }

  /** A write, if it gets an ID, or replaces the version `null`. */
  put(written: Kept): void {
    this.#former = this.#keptBeside(written)
    this.#current = written
  }

  mark(marker: Kept): void {
    this.#former = [marker, ...this.#keptBeside(marker)]
    this.#current = undefined
  }

  /** A removal in a bucket that never had versions. */
  remove(): void {
    this.#current = undefined
  }

  purge(gone: Kept): void {
    this.#former = this.#former.slice(this.#isUndone ? 1 : 0)
    const isNewest = this.history[0] === gone && (this.#current === gone || gone.text === undefined)
    if (this.#current === gone) this.#current = undefined
    this.#former = this.#former.filter(({ versionId }) => versionId !== gone.versionId)
    const [next, ...rest] = this.#former
    if (!isNewest || next === undefined || next.text === undefined) return
    this.#current = next
    this.#former = rest
  }

  /** A file that was written, replaced or copied by hand: what was there is lost, but not what the drive keeps. */
  placeByHand(placed: Kept): void {
    this.#current = placed
  }

  removeByHand(): void {
    this.#current = undefined
  }

  /** Whether a copy of the version that a marker deleted is there again: it is as if the marker had not been made. */
  get #isUndone(): boolean {
    const [newest, next] = this.#former
    const isMarker = newest !== undefined && newest.text === undefined
    if (!isMarker || next?.text === undefined) return false
    // Another file that was placed by hand may be `null` as well.
    return next.versionId === this.#current?.versionId && next.text === this.#current.text
  }

  /** A copy of a former version, with its time, is this version. */
  get #others(): readonly Kept[] {
    const former = this.#former.slice(this.#isUndone ? 1 : 0)
    return former.filter(({ versionId }) => versionId !== this.#current?.versionId)
  }

  /** All that is kept when a version is added. */
  #keptBeside({ versionId: added }: Kept): readonly Kept[] {
    return this.history.filter(({ versionId }) => added !== 'null' || versionId !== 'null')
  }
}
