/** What a camera has written into a photo. */
export interface PhotoFacts {
  readonly camera?: string
  readonly lens?: string
  /** `1/250 s, f/2.8, ISO 400, 50 mm` */
  readonly exposure?: string
  /** As the camera's clock showed it: `2024-05-03 14:03:07`. */
  readonly taken?: string
  /** Degrees, north and east. */
  readonly place?: readonly [latitude: number, longitude: number]
}

/** Exif 2.32, section 4.6. */
const tags = {
  ...{ make: 0x010f, model: 0x0110, exif: 0x8769, gps: 0x8825 },
  ...{ seconds: 0x829a, aperture: 0x829d, iso: 0x8827, taken: 0x9003, focal: 0x920a, lens: 0xa434 },
  ...{ latitudeSide: 1, latitude: 2, longitudeSide: 3, longitude: 4 },
} as const

/** The bytes of a value, by its type. */
const sizes: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }

/** Values of a camera are short. */
const maxValueBytes = 1_024

/**
 * The Exif data in the beginning of a JPEG, HEIC or PNG file. It is found by its mark, which each of these formats puts in
 * front of the same structure. Undefined if there is none.
 */
export function photoFacts(beginning: Uint8Array<ArrayBuffer>): PhotoFacts | undefined {
  const text = new TextDecoder('latin1').decode(beginning)
  const at = /(?:Exif\0\0|eXIf)(?=II\*\0|MM\0\*)/.exec(text)
  if (at === null) return undefined
  try {
    return factsIn(new Tiff(beginning.subarray(at.index + at[0].length)))
  } catch (error) {
    // An offset points behind the end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function factsIn(tiff: Tiff): PhotoFacts {
  const main = tiff.directory(tiff.long(4))
  const [exifAt] = tiff.numbers(main, tags.exif)
  const [gpsAt] = tiff.numbers(main, tags.gps)
  const exif = exifAt === undefined ? none : tiff.directory(exifAt)
  const gps = gpsAt === undefined ? none : tiff.directory(gpsAt)
  const make = tiff.text(main, tags.make)
  const model = tiff.text(main, tags.model)
  // “Canon” and “Canon EOS R5”.
  const isNamed = model.toLowerCase().startsWith(make.split(' ', 1)[0]?.toLowerCase() ?? '')
  const facts = {
    camera: isNamed ? model : `${make} ${model}`.trim(),
    lens: tiff.text(exif, tags.lens),
    exposure: exposureOf(tiff, exif),
    // The colons of a date would be read as a time.
    taken: tiff.text(exif, tags.taken).replace(/^(\d{4}):(\d\d):/, '$1-$2-'),
    place: placeOf(tiff, gps),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact))
}

function exposureOf(tiff: Tiff, exif: Directory): string {
  const [seconds, aperture, iso, focal] = [
    ...[tags.seconds, tags.aperture, tags.iso, tags.focal].map((tag) => tiff.numbers(exif, tag)[0]),
  ].map((value) => (value !== undefined && value > 0 ? value : undefined))
  const parts = [
    seconds !== undefined && (seconds < 0.4 ? `1/${Math.round(1 / seconds)} s` : `${seconds} s`),
    aperture !== undefined && `f/${Number(aperture.toFixed(1))}`,
    iso !== undefined && `ISO ${iso}`,
    focal !== undefined && `${Number(focal.toFixed(1))} mm`,
  ]
  return parts.filter(Boolean).join(', ')
}

function placeOf(tiff: Tiff, gps: Directory): PhotoFacts['place'] {
  const degrees = (tag: number, side: number, negative: string, most: number) => {
    const [whole, minutes = 0, seconds = 0] = tiff.numbers(gps, tag)
    if (whole === undefined) return undefined
    const value = whole + minutes / 60 + seconds / 3_600
    return value <= most ? (tiff.text(gps, side) === negative ? -value : value) : undefined
  }
  const latitude = degrees(tags.latitude, tags.latitudeSide, 'S', 90)
  const longitude = degrees(tags.longitude, tags.longitudeSide, 'W', 180)
  return latitude === undefined || longitude === undefined ? undefined : [latitude, longitude]
}

/** The positions of entries by tag. */
type Directory = ReadonlyMap<number, number>
const none: Directory = new Map()

/** TIFF 6.0, section 2. Reads beyond the end throw a RangeError. */
class Tiff {
  readonly #view: DataView
  readonly #isLittle: boolean

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#isLittle = this.#view.getUint8(0) === 0x49
  }

  long(at: number): number {
    return this.#view.getUint32(at, this.#isLittle)
  }

  directory(at: number): Directory {
    const count = this.#short(at)
    const places = Array.from({ length: count }, (_, entry) => at + 2 + 12 * entry)
    return new Map(places.map((place) => [this.#short(place), place]))
  }

  text(directory: Directory, tag: number): string {
    const codes = this.numbers(directory, tag)
    const bytes = Uint8Array.from(codes)
    return (new TextDecoder().decode(bytes).split('\0', 1)[0] ?? '').trim()
  }

  /** Rationals as their quotients, characters as their codes. */
  numbers(directory: Directory, tag: number): readonly number[] {
    const entry = directory.get(tag)
    if (entry === undefined) return []
    const type = this.#short(entry + 2)
    const count = this.long(entry + 4)
    const size = sizes[type]
    if (size === undefined || count * size > maxValueBytes) return []
    const start = count * size <= 4 ? entry + 8 : this.long(entry + 8)
    return Array.from({ length: count }, (_, index) => this.#number(type, start + index * size))
  }

  #number(type: number, at: number): number {
    if (type === 3) return this.#short(at)
    if (type === 4 || type === 9) return this.long(at)
    if (type === 5 || type === 10) return this.long(at) / this.long(at + 4)
    return this.#view.getUint8(at)
  }

  #short(at: number): number {
    return this.#view.getUint16(at, this.#isLittle)
  }
}
