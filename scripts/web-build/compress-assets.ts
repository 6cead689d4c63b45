import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'

const compressible = /\.(css|js|json|svg|wasm)$/

/** A compressed version is kept only if it is at least a tenth smaller. */
const worthwhile = 0.9

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Writes `.br` and `.gz` versions of the assets, so that nothing is compressed while serving. */
export async function compressAssets(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => compressible.test(name))
  await Promise.all(names.map((name) => compress(join(folder, name))))
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path)
  const parameters = {
    [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY,
    [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const duplicates = [
    ['.br', await brotli(bytes, { params: parameters })],
    ['.gz', await deflate(bytes, { level: 9 })],
  ] as const
  for (const [suffix, duplicate] of duplicates) {
    if (duplicate.length < bytes.length * worthwhile) await writeFile(path + suffix, duplicate)
  }
}
