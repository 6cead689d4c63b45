import { DriveError, type ObjectName } from '../drive.ts'
import { isLegalKey, pathOfKey } from '../key-path.ts'

/** A path in two parts: the folder's path below the root (bucket first), and the name in it. */
export interface Spot {
  /** `bucket` or `bucket/a/b`. */
  readonly folder: string
  readonly name: string
}

/** Where an object may be (key-path.ts). */
export interface Place extends ObjectName {
  readonly natural: Spot
  readonly alternative: Spot
  /** The natural path below the root. One place, one object: locks and records go by it. */
  readonly path: string
}

/** @throws DriveError `invalid-key` for what S3 does not allow as a key. */
export function placeOf(bucket: string, key: string): Place {
  if (!isLegalKey(key)) {
    throw new DriveError('invalid-key', 'A key must have 1 to 1,024 bytes of UTF-8.')
  }
  const { natural, alternative } = pathOfKey(key)
  const spot = spotOf(bucket, natural)
  return {
    bucket,
    key,
    natural: spot,
    alternative: spotOf(bucket, alternative),
    path: `${spot.folder}/${spot.name}`,
  }
}

/** The same spot as one path below the root. */
export function pathOfSpot(spot: Spot): string {
  return `${spot.folder}/${spot.name}`
}

/**
 * The object whose natural path (below the root) a folder on the way to this place has: of `a/b/c`
 * those of `a` and `a/b`. Undefined for folders that no object could have, such as pieces of names.
 */
export function displacedBy(place: Place, path: string): Place | undefined {
  let owners = ownersByPath.get(place)
  if (owners === undefined) {
    owners = new Map(ancestorsOf(place).map((owner) => [owner.path, owner]))
    ownersByPath.set(place, owners)
  }
  return owners.get(path)
}

/** A key may have 500 folders, and each is asked for. */
const ownersByPath = new WeakMap<Place, ReadonlyMap<string, Place>>()

function ancestorsOf({ bucket, key }: Place): Place[] {
  const owners: Place[] = []
  for (let end = key.indexOf('/', 1); end !== -1; end = key.indexOf('/', end + 1)) {
    owners.push(placeOf(bucket, key.slice(0, end)))
  }
  return owners
}

function spotOf(bucket: string, components: readonly string[]): Spot {
  const name = components.at(-1) ?? ''
  if (components.length === 1) return { folder: bucket, name }
  return { folder: `${bucket}/${components.slice(0, -1).join('/')}`, name }
}
