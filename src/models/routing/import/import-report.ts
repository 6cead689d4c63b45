import { z } from 'zod'
import { type FieldWarning, warnings as warningsSchema } from '../routing-schemas.ts'
import type { StoredRouting } from '../stored-routing.ts'
import { type ExportFile, ignoredFields } from './export-file.ts'
import { type ImportMode, importModes } from './import-edit.ts'
import type { ReadExport } from './read-export.ts'

/** The maximum length of lists in the response; the counts are complete. */
const maxNamed = 200
const maxFieldLength = 200

export const importAnswer = z.object({
  mode: z.enum(importModes),
  imported: z.object({
    connections: z.int(),
    combos: z.int(),
    customModels: z.int(),
    modelAliases: z.int(),
  }),
  connectionsWithoutKey: z
    .array(z.string())
    .describe('Ids of imported connections without an API key, such as those with an OAuth login'),
  renamedProviders: z
    .array(z.object({ from: z.string(), to: z.string() }))
    .describe('Provider ids that were renamed because they ended in hex digits'),
  leftOut: z
    .array(z.object({ field: z.string(), reason: z.string() }))
    .describe('Items that were not imported'),
  leftOutCount: z.int(),
  ignoredFields: z.array(z.string()).describe('Fields of the file that are not used'),
  ignoredFieldCount: z.int(),
  warnings: warningsSchema,
  warningCount: z.int(),
})

export type ImportAnswer = z.output<typeof importAnswer>

interface ImportSummary {
  readonly mode: ImportMode
  readonly file: ExportFile
  readonly read: ReadExport
  /** The state after the import. */
  readonly state: StoredRouting
  /** The warnings of that state. */
  readonly warnings: readonly FieldWarning[]
}

/** Pure: the report of an import. */
export function importReport({ mode, file, read, state, warnings }: ImportSummary): ImportAnswer {
  const imported = new Set(read.connections.map(({ id }) => id))
  const withoutKey = state.connections.filter(
    ({ id, sealedKey }) => imported.has(id) && sealedKey === undefined,
  )
  const ignored = ignoredFields(file)
  return {
    mode,
    imported: {
      connections: read.connections.length,
      combos: read.combos.length,
      customModels: read.customModels.length,
      modelAliases: read.modelAliases.length,
    },
    connectionsWithoutKey: withoutKey.map(({ id }) => id),
    renamedProviders: [...read.renamed].slice(0, maxNamed).map(([from, to]) => ({ from, to })),
    leftOut: read.leftOut
      .slice(0, maxNamed)
      .map(({ field, reason }) => ({ field: field.slice(0, maxFieldLength), reason })),
    leftOutCount: read.leftOut.length,
    ignoredFields: ignored.slice(0, maxNamed).map((field) => field.slice(0, maxFieldLength)),
    ignoredFieldCount: ignored.length,
    warnings: warnings.slice(0, maxNamed),
    warningCount: warnings.length,
  }
}
