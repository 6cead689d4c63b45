import { z } from 'zod'
import {
  aliasMap,
  apiKey,
  baseUrl,
  comboName,
  customModelId,
  enabledModelId,
  fileAliasName,
  fileAliasTarget,
  itemId,
  label,
  maxComboModels,
  maxCombos,
  maxConnections,
  maxCustomModels,
  maxEnabledModels,
  modelId,
  prefix,
  priority,
} from '../field-schemas.ts'

/**
 * The required part of a 9router database export (GET /api/settings/database). Everything else is
 * accepted and named in the response.
 */

const word = z.string().max(200)

const fileData = z.looseObject({
  baseUrl: baseUrl.nullish(),
  prefix: prefix.nullish(),
  enabledModels: z.array(enabledModelId).max(maxEnabledModels).nullish(),
})

const fileConnection = z.looseObject({
  id: itemId,
  provider: itemId,
  name: label.nullish(),
  isActive: z.boolean().nullish(),
  priority: priority.nullish(),
  apiKey: apiKey.nullish(),
  providerSpecificData: fileData.nullish(),
  createdAt: word.nullish(),
})

/** A compatible provider; its connection contains copies of these fields. */
const fileNode = z.looseObject({
  id: itemId,
  baseUrl: baseUrl.nullish(),
  prefix: prefix.nullish(),
})

const fileCombo = z.looseObject({
  name: comboName,
  kind: word.nullish(),
  models: z.array(modelId).max(maxComboModels).nullish(),
})

const fileCustomModel = z.looseObject({
  id: customModelId,
  providerAlias: itemId,
  type: word.nullish(),
  name: label.nullish(),
})

const ownFields = {
  providerConnections: z.array(fileConnection).max(maxConnections).nullish(),
  providerNodes: z.array(fileNode).max(maxConnections).nullish(),
  combos: z.array(fileCombo).max(maxCombos).nullish(),
  customModels: z.array(fileCustomModel).max(maxCustomModels).nullish(),
  modelAliases: aliasMap(fileAliasName, fileAliasTarget).nullish(),
}

export const exportFile = z
  .looseObject(ownFields)
  .refine((file) => Object.keys(ownFields).some((name) => Object.hasOwn(file, name)), {
    message: `expected at least one of ${Object.keys(ownFields).join(', ')}`,
  })

export type ExportFile = z.output<typeof exportFile>
export type FileConnection = z.output<typeof fileConnection>
export type FileNode = z.output<typeof fileNode>
export type FileCombo = z.output<typeof fileCombo>
export type FileCustomModel = z.output<typeof fileCustomModel>

/** Pure: the paths of unused fields in the file, each once, without indices. */
export function ignoredFields(file: ExportFile): string[] {
  const found = new Set<string>()
  const note = (items: readonly object[], known: object, at: string) => {
    for (const item of items) {
      for (const name of Object.keys(item)) {
        if (!Object.hasOwn(known, name)) found.add(at + name)
      }
    }
  }
  const connections = file.providerConnections ?? []
  note([file], ownFields, '')
  note(connections, fileConnection.shape, 'providerConnections[].')
  note(
    connections.map(({ providerSpecificData }) => providerSpecificData ?? {}),
    fileData.shape,
    'providerConnections[].providerSpecificData.',
  )
  note(file.providerNodes ?? [], fileNode.shape, 'providerNodes[].')
  note(file.combos ?? [], fileCombo.shape, 'combos[].')
  note(file.customModels ?? [], fileCustomModel.shape, 'customModels[].')
  return [...found]
}
