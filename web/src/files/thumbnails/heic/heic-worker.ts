import wasmPath from 'libheif-js/libheif-wasm/libheif.wasm?url'
import { isLarge, maxFileBytes, maxPixels, thumbnailForm } from '../thumbnail-limits.ts'
import type { ObjectSource } from '../thumbnail-task.ts'
import { answerTasks } from '../worker/answer-tasks.ts'
import { browserBitmap } from '../worker/browser-bitmap.ts'
import { NotReadError, ObjectParts } from '../worker/object-parts.ts'
import { reading } from '../worker/reading.ts'
import { heicFile } from './heic-file.ts'
import { type HeicItem, heicItems, pixelsOf } from './heic-items.ts'
import './heic-memory.ts'

/** libheif-js, unchanged: thumbnail-threads.ts puts it in front of this script. */
declare const libheif: (options: { readonly wasmBinary: ArrayBuffer }) => LibHeif

interface LibHeif {
  readonly HeifDecoder: new () => HeifDecoder
}

/** It keeps the memory of a file until the next call. */
interface HeifDecoder {
  decode(file: Uint8Array): readonly HeifImage[]
}

interface HeifImage {
  get_width(): number
  get_height(): number
  display(pixels: ImageData, done: (pixels: ImageData | null) => void): void
  free(): void
}

/** The picture in a HEIC file. For a thumbnail, the small picture that phones put into it. */
answerTasks(async (source: ObjectSource, form) => {
  const parts = new ObjectParts(source, maxFileBytes)
  const items = await heicItems((start, end) => parts.read(start, end))
  if (items === undefined) return undefined
  for (const item of isLarge(form) ? [] : items.thumbnails) {
    const bitmap = await decodedThumbnail(parts, item, source.url)
    if (bitmap !== undefined) return { bitmap }
  }
  if (items.maxPixels === 0 || items.maxPixels > maxPixels) return undefined
  const bitmap = await decoded(await parts.read(0, parts.size), source.url)
  return bitmap && { bitmap }
})

async function decodedThumbnail(parts: ObjectParts, item: HeicItem, base: string) {
  const pixels = Math.max(0, ...item.properties.map(pixelsOf))
  const [part, second] = item.parts
  if (part === undefined || second !== undefined || pixels > maxPixels) return undefined
  const coded = await parts.read(part.at, part.at + part.length)
  if (item.type === 'jpeg') return browserBitmap(coded, thumbnailForm)
  return pixels === 0 ? undefined : decoded(heicFile(item, coded), base)
}

/** Uses the browser's own decoder if it has one, as Safari does. */
async function decoded(
  file: Uint8Array<ArrayBuffer>,
  base: string,
): Promise<ImageBitmap | undefined> {
  const blob = new Blob([file], { type: 'image/heic' })
  const own = await createImageBitmap(blob).catch(() => undefined)
  return own ?? decodedByLibrary(file, await decoder(base))
}

async function decodedByLibrary(file: Uint8Array, library: HeifDecoder) {
  const images = library.decode(file)
  try {
    const [image] = images
    if (image === undefined) return undefined
    const [width, height] = [image.get_width(), image.get_height()]
    if (width * height > maxPixels) return undefined
    const pixels = await new Promise<ImageData | null>((resolve) =>
      image.display(new ImageData(width, height), resolve),
    )
    return pixels === null ? undefined : createImageBitmap(pixels)
  } finally {
    for (const image of images) image.free()
  }
}

let loaded: Promise<HeifDecoder> | undefined

function decoder(base: string): Promise<HeifDecoder> {
  loaded ??= reading(load(new URL(wasmPath, base).href))
  return loaded
}

async function load(url: string): Promise<HeifDecoder> {
  const reply = await fetch(url, { credentials: 'omit' })
  if (!reply.ok) throw new NotReadError(`status ${reply.status}`)
  const { HeifDecoder } = libheif({ wasmBinary: await reply.arrayBuffer() })
  return new HeifDecoder()
}
