import { type ModelPrice, type ServiceKind, serviceKinds } from './routing-inputs.ts'

/**
 * Reads stored rows for the list. A row may be invalid (an import, an older version, a manual edit
 * of the database): its readable fields count, and no row breaks the list.
 */

export interface ActiveConnection {
  readonly id: string
  /** Provider id. */
  readonly provider: string
  /** Trimmed; undefined if blank. */
  readonly prefix: string | undefined
  /** As stored; undefined if not text. */
  readonly baseUrl: string | undefined
  /** As stored; undefined if not text. */
  readonly apiKey: string | undefined
  /**
   * The non-blank strings, each once. Absent: no array, or an empty one
   * (docs/contract/model-list.md, "Base ids").
   */
  readonly enabledModels: readonly string[] | undefined
  /** Its rank by the stored priority; infinite without one. */
  readonly priority: number
  /** Its share of the calls among connections of one priority. */
  readonly weight: number
  readonly price: ModelPrice | undefined
  /** False: calls in other APIs than its own are not translated for it. */
  readonly translate?: false | undefined
  /** The header fields of its own, their names in lower case. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
}

interface ListedCombo {
  readonly name: string
  readonly kind: ServiceKind
}

export interface LlmCustomModel {
  readonly id: string
  readonly providerAlias: string
}

type Row = Readonly<Record<string, unknown>>

/** The active connections, in the order of docs/contract/model-list.md, "Order of connections". */
export function activeConnections(rows: readonly unknown[]): readonly ActiveConnection[] {
  return (
    rows
      .filter(isRow)
      .filter((row) => isText(row.id) && isText(row.provider))
      // "Only values other than false count": null, 0 and a missing value are active.
      .filter((row) => row.isActive !== false)
      .toSorted(byPriority)
      .map(readConnection)
  )
}

function readConnection(row: Row): ActiveConnection {
  const data = isRow(row.providerSpecificData) ? row.providerSpecificData : {}
  return {
    id: String(row.id),
    provider: String(row.provider),
    prefix: isText(data.prefix) ? data.prefix.trim() : undefined,
    baseUrl: isText(data.baseUrl) ? data.baseUrl : undefined,
    apiKey: isText(row.apiKey) ? row.apiKey : undefined,
    enabledModels: enabledModels(data.enabledModels),
    priority: rankOf(row.priority),
    weight: isAmount(data.weight) && data.weight > 0 ? data.weight : 1,
    price: priceOf(data.price),
    translate: data.translate === false ? false : undefined,
    headers: headersOf(data.headers),
  }
}

/** Undefined without a field. */
function headersOf(value: unknown): ActiveConnection['headers'] {
  if (!isRow(value)) return undefined
  return Object.entries(value).flatMap(([name, text]) =>
    isText(text) ? [[name.toLowerCase(), text] as const] : [],
  )
}

/** Undefined unless input and output have a price. */
function priceOf(value: unknown): ModelPrice | undefined {
  if (!isRow(value)) return undefined
  const { input, output, cacheRead, cacheWrite } = value
  if (!isAmount(input) || !isAmount(output)) return undefined
  return {
    ...{ input, output },
    cacheRead: isAmount(cacheRead) ? cacheRead : undefined,
    cacheWrite: isAmount(cacheWrite) ? cacheWrite : undefined,
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function enabledModels(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  return [...new Set(value.filter(isText))]
}

/** Combos with a name and a known kind; absent means llm. */
export function listedCombos(rows: readonly unknown[]): readonly ListedCombo[] {
  return rows.filter(isRow).flatMap(({ name, kind }) => {
    const known = isAbsent(kind) ? 'llm' : serviceKinds.find((candidate) => candidate === kind)
    return isText(name) && known !== undefined ? [{ name, kind: known }] : []
  })
}

/** Custom models with an id and a providerAlias whose type is absent or llm. */
export function llmCustomModels(rows: readonly unknown[]): readonly LlmCustomModel[] {
  return rows.filter(isRow).flatMap(({ id, providerAlias, type }) => {
    const isLlm = isAbsent(type) || type === 'llm'
    if (!isLlm || !isText(id) || !isText(providerAlias)) return []
    return [{ id: id.trim(), providerAlias: providerAlias.trim() }]
  })
}

/** The prices of custom models of any type, by `<providerAlias>/<id>`. */
export function customPrices(rows: readonly unknown[]): ReadonlyMap<string, ModelPrice> {
  const prices = rows.filter(isRow).flatMap(({ id, providerAlias, price: given }) => {
    const price = priceOf(given)
    if (price === undefined || !isText(id) || !isText(providerAlias)) return []
    return [[`${providerAlias.trim()}/${id.trim()}`, price] as const]
  })
  return new Map(prices)
}

/** The values of the alias map: `<alias>/<model_id>`. */
export function aliasedModels(aliases: unknown): readonly string[] {
  return isRow(aliases) ? Object.values(aliases).filter(isText) : []
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Text that is more than white space. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** The fields that order connections. Stored values may be invalid. */
interface Ranked {
  readonly priority?: unknown
  readonly createdAtMs?: unknown
}

/** For a stable sort: docs/contract/model-list.md, "Order of connections". */
export function byPriority(a: Ranked, b: Ranked): number {
  const difference = inOrder(a.priority, b.priority)
  return difference === 0 ? inOrder(a.createdAtMs, b.createdAtMs) : difference
}

/** Numbers ascending, everything else after them. */
function inOrder(a: unknown, b: unknown): number {
  const [first, second] = [rankOf(a), rankOf(b)]
  if (first === second) return 0
  return first < second ? -1 : 1
}

function rankOf(value: unknown): number {
  return typeof value === 'number' && !Number.isNaN(value) ? value : Number.POSITIVE_INFINITY
}
