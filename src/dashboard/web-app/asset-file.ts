import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { StreamBody } from '../../platform/http/message.ts'

interface AssetFile {
  readonly contentType: string
  /** Undefined: not compressed. */
  readonly coding: AssetCoding['name'] | undefined
  readonly body: StreamBody | Uint8Array
}

/** File types of a build. Nothing else is served; compressed copies are not available under their own names. */
const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff2: 'font/woff2',
}

/** A name without folders, so that no path leads outside the assets folder, and of a length that file systems allow. */
const assetName = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}\.([a-z0-9]{1,20})$/

const chunkBytes = 64 * 1024

/**
 * An asset of the build, in the smallest encoding that the client accepts. Undefined if it does not
 * exist. The caller closes its body.
 */
export async function openAsset(
  folder: string,
  name: string,
  acceptEncoding: string | undefined,
): Promise<AssetFile | undefined> {
  const contentType = contentTypes[assetName.exec(name)?.[1] ?? '']
  if (contentType === undefined) return undefined
  for (const coding of [...acceptedCodings(acceptEncoding), undefined]) {
    const body = await openFile(join(folder, name + (coding?.suffix ?? '')))
    if (body !== undefined) return { contentType, coding: coding?.name, body }
  }
  const body = await decompressed(join(folder, `${name}.gz`))
  return body && { contentType, coding: undefined, body }
}

const unzip = promisify(gunzip)

/** The npm package has only the gzip copy of a compressed asset, and every browser accepts gzip: this is for other clients. */
async function decompressed(path: string): Promise<Uint8Array | undefined> {
  try {
    return await unzip(await readFile(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function openFile(path: string): Promise<StreamBody | undefined> {
  let file: FileHandle
  try {
    file = await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { size } = await file.stat()
    return { length: size, lend: (borrow) => lendFile(file, borrow), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function lendFile(
  file: FileHandle,
  borrow: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes)
    if (bytesRead === 0) return
    await borrow(buffer.subarray(0, bytesRead))
  }
}

/** Content codings of the built assets, smallest first, with their file suffixes. */
const assetCodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const
type AssetCoding = (typeof assetCodings)[number]

/** The codings that a client accepts, best first (RFC 9110 section 12.5.3). */
export function acceptedCodings(acceptEncoding: string | undefined): readonly AssetCoding[] {
  if (acceptEncoding === undefined) return []
  const weights = new Map(acceptEncoding.split(',').map(weightOf))
  const any = weights.get('*') ?? 0
  return assetCodings.filter(({ name }) => (weights.get(name) ?? any) > 0)
}

function weightOf(item: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
