import crypto from 'node:crypto'
import type { Stats } from 'node:fs'
import type { Attributes, PartSizes } from '../../attributes.ts'
import { SizedCache } from '../../sized-cache.ts'
import { provisionalEtag } from '../../stored-attributes.ts'
import type { LocalRoot } from '../local-root.ts'
import type { AttributeLog } from './attribute-cache.ts'
import type { FileIdentity } from './file-identity.ts'

/** The drive renames a file this long after it has set the modification time, at most and as a rule. */
const publishMs = 2_000
/** A larger file is not read to look up its object: that would take a disk longer than 10 ms. */
const maxReadBytes = 1024 * 1024
const pieceBytes = 64 * 1024
const maxRemembered = 10_000

/** An object's open file. */
interface OpenedFile {
  readonly fd: number
  readonly path: string
  readonly identity: FileIdentity
  readonly size: number
  readonly stats: Stats
}

const wholeMd5 = /^[0-9a-f]{32}$/

/**
 * Files whose status was changed after the drive wrote them: copied with their times, renamed, linked, given other
 * permissions, or edited by a program that restored the modification time. Only their bytes tell which. The ETag and
 * checksums of a small one are used only if the bytes still have the MD5 in the ETag. A command that only reads the
 * drive keeps them: `bucketry verify` has to find the difference.
 */
export class TouchedFiles {
  readonly #root: LocalRoot
  readonly #log: AttributeLog
  /** Whether the bytes have the recorded MD5, by file and change time. */
  readonly #known = new SizedCache<boolean>(maxRemembered)

  constructor(root: LocalRoot, log: AttributeLog) {
    this.#root = root
    this.#log = log
  }

  /** @param recorded what was stored with the file; a provisional ETag can't be compared */
  async attributesOf(file: OpenedFile, recorded: Attributes): Promise<Attributes> {
    const { stats, identity, size } = file
    const isTouched = stats.ctimeMs - stats.mtimeMs > publishMs
    if (!isTouched || size > maxReadBytes || this.#root.isReadOnly) return recorded
    const lengths = partLengths(recorded, size)
    if (lengths === undefined) return recorded
    const version = `${identity}:${stats.ctimeMs}`
    let isSame = this.#known.get(version)
    if (isSame === undefined) {
      isSame = (await this.#etagOf(file, lengths, recorded)) === recorded.etag
      this.#known.set(version, isSame)
      if (!isSame) this.#warn(file)
    }
    if (isSame) return recorded
    const { checksum: _, partSizes: __, partChecksums: ___, ...others } = recorded
    return { ...others, etag: provisionalEtag(version) }
  }

  /** A piece at a time: many requests may wait for a slow disk. */
  async #etagOf({ fd, size }: OpenedFile, lengths: readonly number[], { etag }: Attributes) {
    const piece = Buffer.allocUnsafe(Math.min(size, pieceBytes))
    const digests: Buffer[] = []
    let position = 0
    for (const length of lengths) {
      const hash = crypto.createHash('md5')
      for (const end = position + length; position < end; ) {
        const wanted = piece.subarray(0, end - position)
        const filled = await this.#root.files.read(fd, wanted, position)
        if (filled !== wanted.length) return undefined
        hash.update(wanted)
        position += filled
      }
      digests.push(hash.digest())
    }
    if (wholeMd5.test(etag)) return digests[0]?.toString('hex')
    return `${crypto.hash('md5', Buffer.concat(digests))}-${digests.length}`
  }

  #warn({ path }: OpenedFile): void {
    this.#log.warn(
      { path },
      'another program changed the bytes of an object and restored its time: it has a new ETag, and no checksums',
    )
  }
}

/** Undefined if the ETag was not made from the bytes. */
function partLengths({ etag, partSizes }: Attributes, size: number): number[] | undefined {
  if (wholeMd5.test(etag)) return [size]
  if (partSizes === undefined) return undefined
  const lengths = flat(partSizes)
  const sum = lengths.reduce((total, one) => total + one, 0)
  return sum === size && etag.endsWith(`-${lengths.length}`) ? lengths : undefined
}

function flat(partSizes: PartSizes): number[] {
  return partSizes.flatMap(([count, sizeBytes]) => Array<number>(count).fill(sizeBytes))
}
