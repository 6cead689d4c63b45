/** What a drawn landscape looks like. Colours are hexadecimal. */
export interface Landscape {
  /** Another seed, other mountains. */
  readonly seed: number
  /** Of the sky, from the top to the horizon. */
  readonly sky: readonly [string, string, string]
  /** Of the farthest and of the nearest mountains. */
  readonly ridges: readonly [string, string]
  readonly sun: string
  /** Where the sun stands, as shares of width and height. */
  readonly sunAt: readonly [number, number]
  /** Whether the lower third is a lake. */
  readonly hasLake: boolean
}

const width = 2400
const height = 1600
const layers = 6

/** An SVG document: a photograph that a demo drive may show without anybody's rights in it. */
export function landscapeSvg(look: Landscape): string {
  const shore = look.hasLake ? 0.7 * height : height
  const ridges = Array.from({ length: layers }, (_, layer) => ridge(look, layer, shore))
  const lake = look.hasLake ? lakeOf(look, shore) : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">
    <defs>${gradientsOf(look)}</defs>
    <g id="land">
      <rect width="${width}" height="${shore}" fill="url(#sky)"/>
      <rect width="${width}" height="${shore}" fill="url(#glow)"/>
      ${ridges.join('')}
    </g>${lake}
  </svg>`
}

function gradientsOf({ sky, ridges, sun, sunAt: [x, y] }: Landscape): string {
  const stops = sky.map((colour, index) => stop(index / 2, colour)).join('')
  const fading = Array.from({ length: layers }, (_, layer) => {
    const colour = mix(ridges[0], ridges[1], layer / (layers - 1))
    const foot = mix(colour, sky[2], 0.5 - (0.4 * layer) / layers)
    return `<linearGradient id="ridge${layer}" x2="0" y2="1">${stop(0, colour)}${stop(0.8, foot)}</linearGradient>`
  })
  return `<linearGradient id="sky" x2="0" y2="1">${stops}</linearGradient>
    <radialGradient id="glow" gradientUnits="userSpaceOnUse" cx="${x * width}" cy="${y * height}" r="1500">
      ${stop(0, sun)}${stop(0.05, sun)}${stop(0.054, sun, 0.5)}${stop(0.16, sun, 0.24)}
      ${stop(0.42, sun, 0.08)}${stop(1, sun, 0)}
    </radialGradient>
    <linearGradient id="water" x2="0" y2="1">${stop(0, ridges[1], 0.12)}${stop(1, ridges[1], 0.7)}</linearGradient>
    ${fading.join('')}`
}

function stop(offset: number, colour: string, opacity = 1): string {
  return `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`
}

/** One range of mountains: the nearer, the lower its crest and the flatter its line. */
function ridge({ seed }: Landscape, layer: number, shore: number): string {
  const nearness = layer / (layers - 1)
  const crest = shore * (0.52 + 0.34 * nearness)
  const swing = shore * (0.2 - 0.1 * nearness)
  const heights = displaced([0, 0], { swing, random: randomOf(seed * 31 + layer), depth: 9 })
  const step = width / (heights.length - 1)
  const points = heights.map((rise, index) => `${round(index * step)},${round(crest - rise)}`)
  return `<path d="M0,${shore} L${points.join(' L')} L${width},${shore} Z" fill="url(#ridge${layer})"/>`
}

interface Displacement {
  readonly swing: number
  readonly random: () => number
  readonly depth: number
}

/** Midpoint displacement: how mountains are drawn since Fournier, Fussell and Carpenter (1982). */
function displaced(heights: readonly number[], { swing, random, depth }: Displacement): number[] {
  if (depth === 0) return [...heights]
  const finer = heights.flatMap((rise, index) => {
    const next = heights[index + 1]
    return next === undefined ? [rise] : [rise, (rise + next) / 2 + (random() * 2 - 1) * swing]
  })
  return displaced(finer, { swing: swing * 0.52, random, depth: depth - 1 })
}

/** The land once more, upside down and dimmed. */
function lakeOf({ sun }: Landscape, shore: number): string {
  return `<use href="#land" transform="translate(0 ${2 * shore}) scale(1 -1)"/>
    <rect y="${shore}" width="${width}" height="${height - shore}" fill="url(#water)"/>
    <rect y="${shore - 2}" width="${width}" height="4" fill="${sun}" opacity="0.22"/>`
}

function mix(from: string, to: string, share: number): string {
  const channel = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map((at) => {
    const value = channel(from, at) * (1 - share) + channel(to, at) * share
    return Math.round(value).toString(16).padStart(2, '0')
  })
  return `#${mixed.join('')}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Mulberry32 by Tommy Ettinger, public domain: the same numbers on every machine. */
function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}
