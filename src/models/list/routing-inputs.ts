/**
 * The routing configuration. The field names are those of docs/contract/model-list.md, "Inputs".
 * Stored in the database, managed under `/-/api/routing`.
 */

/** docs/contract/model-list.md, "Service kinds". An item without a kind is `llm`. */
export const serviceKinds = [
  'llm',
  'image',
  'tts',
  'stt',
  'embedding',
  'imageToText',
  'webSearch',
  'webFetch',
] as const

export type ServiceKind = (typeof serviceKinds)[number]

export const allKinds: ReadonlySet<ServiceKind> = new Set(serviceKinds)

export interface Connection {
  readonly id: string
  /** A provider of the catalogue, or a custom one: `openai-compatible-…`. */
  readonly provider: string
  /** The display name. */
  readonly name?: string | undefined
  /** Anything but `false` counts as active. */
  readonly isActive?: boolean | null | undefined
  /** Smaller values come first, missing ones last. Ties are ordered by age. */
  readonly priority?: number | null | undefined
  readonly apiKey?: string | undefined
  readonly providerSpecificData?: ProviderSpecificData | undefined
  /** Milliseconds since the epoch; unknown if missing, and then last. */
  readonly createdAtMs?: number | undefined
}

export interface ProviderSpecificData {
  readonly baseUrl?: string | undefined
  readonly prefix?: string | undefined
  readonly enabledModels?: readonly string[] | undefined
  /** Its share of the calls among connections of one priority. Default: 1. */
  readonly weight?: number | undefined
  /** The price of each of its models. */
  readonly price?: ModelPrice | undefined
  /** Whether calls in other APIs are translated for it. Default: true. */
  readonly translate?: boolean | undefined
  /** Header fields that its upstream gets with each call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** US dollars per million tokens, which is millionths of a dollar per token. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Of input from the upstream's prompt cache. Default: as other input. */
  readonly cacheRead?: number | undefined
  /** Of input that is added to the cache. Default: as other input. */
  readonly cacheWrite?: number | undefined
}

export interface Combo {
  readonly name: string
  readonly kind?: ServiceKind | undefined
  /** Model ids. Stored for the router; the list contains only the name. */
  readonly models?: readonly string[] | undefined
}

export interface CustomModel {
  readonly id: string
  readonly providerAlias: string
  /** Only absent or `llm` is listed. */
  readonly type?: ServiceKind | undefined
  readonly name?: string | undefined
  readonly price?: ModelPrice | undefined
}

/** From an alias name to `<alias>/<model_id>`. */
export type ModelAliases = Readonly<Record<string, string>>

/**
 * The source of the model list inputs. Each load may fail independently: the list is then built
 * without it (docs/contract/model-list.md, "Loading the inputs").
 */
export interface RoutingSource {
  /** All connections, active or not, in any order, with decrypted keys. */
  connections(): Promise<readonly Connection[]>
  /** In list order. */
  combos(): Promise<readonly Combo[]>
  /** In list order. */
  customModels(): Promise<readonly CustomModel[]>
  modelAliases(): Promise<ModelAliases>
}

export type Kinds = ReadonlySet<ServiceKind>

/** The kinds of `/v1/models` itself, and of a provider outside the catalogue (docs/contract/model-list.md, "Inputs"). */
export const defaultKinds: Kinds = new Set(['llm'])

/** docs/contract/model-list.md, "Kinds by path". */
export const kindsOfPath: ReadonlyMap<string, Kinds> = new Map<string, Kinds>([
  ['image', new Set(['image'])],
  ['tts', new Set(['tts'])],
  ['stt', new Set(['stt'])],
  ['embedding', new Set(['embedding'])],
  ['image-to-text', new Set(['imageToText'])],
  ['web', new Set(['webSearch', 'webFetch'])],
])
