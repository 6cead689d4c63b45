import { join } from 'node:path'
import { z } from 'zod'
import { readBoundedFile } from '../../platform/process/bounded-file.ts'
import { packageFolder } from '../../platform/process/package-folder.ts'
import type { Catalogue } from './catalogue.ts'
import { CatalogueError, type CatalogueFile } from './catalogue-error.ts'
import { parseCatalogue } from './parse-catalogue.ts'

/** The built-in data: one file per provider, and their order. */
export const dataFolder = join(packageFolder, 'src/models/catalogue/data')

/** Ids of the providers of the built-in data, in the order of the list. */
export const orderFileName = 'order.json'

/**
 * Reads the static catalogue: the file that MODEL_CATALOGUE names, or the built-in data.
 *
 * @throws CatalogueError with a message to show if it cannot be read or used.
 */
export async function readCatalogue(path: string | undefined): Promise<Catalogue> {
  const files = path === undefined ? await readDataFiles(dataFolder) : [readText(path, path)]
  return parseCatalogue(files)
}

/** The unparsed files of the built-in data, in the order of their providers. */
export async function readDataFiles(folder: string): Promise<readonly CatalogueFile[]> {
  const order = readText(join(folder, orderFileName), orderFileName)
  const names = z
    .array(z.string())
    .parse(JSON.parse(order.text))
    .map((id) => `${id}.json`)
  return names.map((name) => readText(join(folder, name), name))
}

function readText(path: string, name: string): CatalogueFile {
  try {
    const text = readBoundedFile(path).toString()
    // Some editors write a byte order mark, which JSON does not allow (RFC 8259 section 8.1).
    return { name, text: text.replace(/^\uFEFF/, '') }
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'EFBIG'
    const message = isLarge ? 'the file is too large' : 'the file cannot be read'
    throw unreadable(name, message, { cause })
  }
}

function unreadable(fileName: string, message: string, options?: ErrorOptions): CatalogueError {
  return new CatalogueError([{ fileName, line: 1, field: '', message }], options)
}
