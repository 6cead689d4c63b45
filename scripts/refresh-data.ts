import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCatalogue, readDataFiles } from '../src/models/catalogue/catalogue.ts'
import type { CatalogueFile } from '../src/models/catalogue/catalogue-error.ts'
import { type DataFile, dataFileSchema, type Merge, mergeModels } from './merge-models.ts'
import { findModels } from './models-dev-checkout.ts'

interface RefreshOptions {
  /** Folder of the models.dev checkout. */
  readonly checkout: string
  /** Folder of the catalogue's data files. */
  readonly dataFolder: string
  readonly isPruning: boolean
  readonly isFactsOnly?: boolean
  /** Formats the JSON of a file in the style of the project. */
  readonly format: (text: string, name: string) => string
}

interface Refreshed {
  readonly name: string
  readonly text: string
  readonly isChanged: boolean
  /** Changes, and models to check by hand. */
  readonly report: readonly string[]
}

/**
 * Refreshes the models of all data files, or of none: the new catalogue is parsed as a whole before
 * the first file is written.
 *
 * @returns a report of the changes, as lines of text.
 * @throws CatalogueError when the new catalogue would not be valid, Error when the checkout is not.
 */
export async function refreshData(options: RefreshOptions): Promise<readonly string[]> {
  const files = await readDataFiles(options.dataFolder)
  const refreshed = await Promise.all(files.map((file) => refreshFile(file, options)))
  parseCatalogue(refreshed)
  for (const { name, text, isChanged } of refreshed) {
    if (isChanged) await replaceFile(join(options.dataFolder, name), text)
  }
  return refreshed.flatMap(({ report }) => report)
}

async function refreshFile(file: CatalogueFile, options: RefreshOptions): Promise<Refreshed> {
  const { name, text } = file
  // Not the output of the schema, which has its fields in another order.
  const content = JSON.parse(text) as DataFile
  dataFileSchema.parse(content)
  const unchanged = { name, text, isChanged: false }
  if (content.modelsDevId === undefined) return { ...unchanged, report: [] }
  const found = await findModels(options.checkout, content.modelsDevId)
  if (found === undefined || found.length === 0) {
    return { ...unchanged, report: [`${content.id}: the checkout has no ${content.modelsDevId}`] }
  }
  const merge = mergeModels(content, found, options)
  const report = reportOf(content.id, merge)
  const json = JSON.stringify(merge.file)
  if (json === JSON.stringify(content)) return { ...unchanged, report }
  const newText = options.format(json, name)
  return { name, text: newText, isChanged: true, report }
}

function reportOf(provider: string, merge: Merge): readonly string[] {
  const line = (word: string, ids: readonly string[]) => {
    return ids.length === 0 ? [] : [`${provider}: ${word} ${ids.join(', ')}`]
  }
  return [
    ...line('added', merge.added),
    ...line('removed', merge.removed),
    ...line('kept, unknown to models.dev:', merge.unknown),
    ...line('not added, kind not served by the provider:', merge.skipped),
  ]
}

/** Replaces the file in one step, so that it is never incomplete. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}
