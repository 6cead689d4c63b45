import { jsonPath } from '../../../platform/json-api/api-error.ts'
import {
  type Combo,
  type CustomModel,
  type ServiceKind,
  serviceKinds,
} from '../../list/routing-inputs.ts'
import { compatibleFlavour } from '../../upstream/upstream.ts'
import type { GivenConnection } from '../connection-edits.ts'
import { aliasName, aliasTarget } from '../field-schemas.ts'
import { withoutHexEnd } from '../random-id.ts'
import {
  assertUnique,
  customModelKey,
  type ModelAlias,
  type StoredRouting,
} from '../stored-routing.ts'
import type {
  ExportFile,
  FileCombo,
  FileConnection,
  FileCustomModel,
  FileNode,
} from './export-file.ts'

interface LeftOut {
  /** Its path in the file. */
  readonly field: string
  readonly reason: string
}

export interface ReadExport extends Omit<StoredRouting, 'connections' | 'broken'> {
  readonly connections: readonly GivenConnection[]
  readonly leftOut: readonly LeftOut[]
  /** Renamed provider ids: see `withoutHexEnd`. */
  readonly renamed: ReadonlyMap<string, string>
}

/**
 * Pure: converts the file. Valid items without a meaning here are left out and reported.
 *
 * @throws ApiError 400 if two items have the same key.
 */
export function readExport(file: ExportFile): ReadExport {
  const { providerConnections, combos, customModels, modelAliases } = file
  assertUnique(providerConnections ?? [], ({ id }) => id, {
    list: 'providerConnections',
    field: 'id',
  })
  assertUnique(combos ?? [], ({ name }) => name, { list: 'combos', field: 'name' })
  assertUnique(customModels ?? [], customModelKey, { list: 'customModels', field: 'id' })
  const names = new ProviderNames()
  const leftOut: LeftOut[] = []
  const at = (...path: PropertyKey[]): ItemContext => ({ names, leftOut, field: jsonPath(path) })
  return {
    connections: readConnections(file, at('providerNodes')),
    combos: (combos ?? []).flatMap((combo, index) => readCombo(combo, at('combos', index))),
    customModels: (customModels ?? []).flatMap((model, index) =>
      readCustomModel(model, at('customModels', index)),
    ),
    modelAliases: Object.entries(modelAliases ?? {}).flatMap(([name, target]) =>
      readAlias({ name, target }, at('modelAliases', name)),
    ),
    leftOut,
    renamed: names.renamed,
  }
}

interface ItemContext {
  readonly names: ProviderNames
  readonly leftOut: LeftOut[]
  readonly field: string
}

/** Renames every provider id of a file consistently. */
class ProviderNames {
  readonly renamed = new Map<string, string>()

  rename(provider: string): string {
    if (compatibleFlavour(provider) === undefined) return provider
    const name = withoutHexEnd(provider)
    if (name !== provider) this.renamed.set(provider, name)
    return name
  }

  /** Renames the alias in `<alias>/<model id>`; returns other text unchanged. */
  renameIn(model: string): string {
    const slash = model.indexOf('/')
    return slash < 0 ? model : this.rename(model.slice(0, slash)) + model.slice(slash)
  }
}

function readConnections(file: ExportFile, { names, leftOut }: ItemContext): GivenConnection[] {
  const connections = file.providerConnections ?? []
  const nodes = new Map((file.providerNodes ?? []).map((node) => [node.id, node]))
  const used = new Set(connections.map(({ provider }) => provider))
  for (const [index, { id }] of (file.providerNodes ?? []).entries()) {
    if (used.has(id)) continue
    const field = jsonPath(['providerNodes', index])
    leftOut.push({ field, reason: 'no connection uses this provider' })
  }
  return connections.map((connection) =>
    readConnection(connection, nodes.get(connection.provider), names),
  )
}

function readConnection(
  { id, provider, name, isActive, priority, apiKey, createdAt, ...rest }: FileConnection,
  node: FileNode | undefined,
  names: ProviderNames,
): GivenConnection {
  const { baseUrl, prefix, enabledModels } = rest.providerSpecificData ?? {}
  const createdAtMs = Date.parse(createdAt ?? '')
  return {
    ...{ id, provider: names.rename(provider), name, isActive, priority, apiKey },
    providerSpecificData: {
      baseUrl: baseUrl ?? node?.baseUrl,
      prefix: prefix ?? node?.prefix,
      enabledModels,
    },
    createdAtMs: createdAtMs >= 0 ? createdAtMs : undefined,
  }
}

function readCombo(
  { name, kind, models }: FileCombo,
  { names, leftOut, field }: ItemContext,
): Combo[] {
  if (!isKnownKind(kind)) {
    leftOut.push({ field, reason: `unknown kind ${kind}` })
    return []
  }
  const renamed = models?.map((model) => names.renameIn(model))
  return [{ name, kind: kind ?? undefined, models: renamed }]
}

function readCustomModel(
  { id, providerAlias, type, name }: FileCustomModel,
  { names, leftOut, field }: ItemContext,
): CustomModel[] {
  if (!isKnownKind(type)) {
    leftOut.push({ field, reason: `unknown type ${type}` })
    return []
  }
  const model = { id, providerAlias: names.rename(providerAlias) }
  return [{ ...model, type: type ?? undefined, name: name ?? undefined }]
}

function readAlias(
  { name, target }: ModelAlias,
  { names, leftOut, field }: ItemContext,
): ModelAlias[] {
  if (!aliasName.safeParse(name).success || !aliasTarget.safeParse(target).success) {
    leftOut.push({ field, reason: 'expected a name with <alias>/<model id>' })
    return []
  }
  return [{ name, target: names.renameIn(target) }]
}

function isKnownKind(kind: string | null | undefined): kind is ServiceKind | null | undefined {
  return kind === null || kind === undefined || serviceKinds.some((known) => known === kind)
}
