import type {
  BucketOptionsTable,
  BucketOptionsRow as Row,
  BucketOptionsChange as RowChange,
} from './bucket-option-table.ts'
import {
  type BucketDocuments,
  type BucketOptions,
  type BucketOptionsChange,
  type BucketOptionsWriter,
  documentNames,
  versionDocuments,
} from './bucket-options.ts'
import type { BucketConfiguration, Buckets } from './buckets.ts'
import type { CorsRule } from './cors-rules.ts'
import type { LifecycleRule } from './lifecycle-rules.ts'

const none: BucketOptions = {}
const alwaysStored: ReadonlySet<string> = new Set(versionDocuments)

export interface StoredBucketOptionsParts {
  readonly table: Pick<BucketOptionsTable, 'changedAfter' | 'documentsChangedAfter' | 'change'>
  /** Whether BucketDocuments other than `versionDocuments` have an effect. Default: true. */
  readonly hasDocuments?: boolean
  /** Called after a change by this process, before `change` resolves. */
  readonly onChange?: (() => Promise<void>) | undefined
}

/** A copy in memory of the bucket options in the database. */
export class StoredBucketOptions implements BucketOptionsWriter {
  readonly #parts: StoredBucketOptionsParts
  readonly #rows = new Map<string, Row>()
  readonly #documents = new Map<string, BucketDocuments>()
  readonly #options = new Map<string, BucketOptions>()
  /** The last loaded revision of each table: a change may happen between the reads of the two. */
  #loaded = { rows: 0, documents: 0 }
  #loading: Promise<void> = Promise.resolve()

  constructor(parts: StoredBucketOptionsParts) {
    this.#parts = parts
  }

  /** Loads what has changed since the last call, one call after another. @throws DatabaseError */
  reload(): Promise<void> {
    const loading = this.#loading.then(() => this.#load())
    this.#loading = loading.catch(() => undefined)
    return loading
  }

  async #load(): Promise<void> {
    const { table, hasDocuments = true } = this.#parts
    const [rows, changed] = await Promise.all([
      table.changedAfter(this.#loaded.rows),
      table.documentsChangedAfter(this.#loaded.documents),
    ])
    const documents = changed.filter(({ name }) => hasDocuments || alwaysStored.has(name))
    for (const row of rows) this.#rows.set(row.bucket, row)
    for (const { bucket, name, document } of documents) {
      const { [name as keyof BucketDocuments]: _, ...others } = this.#documents.get(bucket) ?? {}
      const parsed = document === '' ? {} : { [name]: JSON.parse(document) }
      this.#documents.set(bucket, { ...others, ...parsed })
    }
    for (const { bucket } of [...rows, ...documents]) this.#join(bucket)
    const last = (changed: readonly { readonly revision: number }[], loaded: number) =>
      changed.reduce((latest, { revision }) => Math.max(latest, revision), loaded)
    this.#loaded = {
      rows: last(rows, this.#loaded.rows),
      documents: last(changed, this.#loaded.documents),
    }
  }

  #join(bucket: string): void {
    const row = this.#rows.get(bucket)
    const documents = this.#documents.get(bucket) ?? {}
    const { isPublic, ...others } = { ...(row && optionsOf(row)), ...documents }
    const { ignorePublicAcls, restrictPublicBuckets } = documents.publicAccessBlock ?? {}
    const isOpen = isPublic && !ignorePublicAcls && !restrictPublicBuckets
    const options = isOpen ? { ...others, isPublic } : others
    if (Object.keys(options).length === 0) this.#options.delete(bucket)
    else this.#options.set(bucket, options)
  }

  /** Whether no bucket has options. */
  get isEmpty(): boolean {
    return this.#options.size === 0
  }

  /** Returns the same object until the options of the bucket change. */
  find(bucket: string): BucketOptions {
    return this.#options.get(bucket) ?? none
  }

  async change(
    bucket: string,
    { cors, lifecycle, quotaBytes, isPublic, ...documents }: BucketOptionsChange,
  ): Promise<void> {
    const change: RowChange = {
      ...(cors !== undefined && { cors: textOf(cors) }),
      ...(lifecycle !== undefined && { lifecycle: textOf(lifecycle?.map(storedRule) ?? null) }),
      ...(quotaBytes !== undefined && { quotaBytes }),
      ...(isPublic !== undefined && { isPublic: isPublic === null ? 0 : 1 }),
      documents: documentsOf(documents),
    }
    await this.#parts.table.change(bucket, change)
    await this.reload()
    await this.#parts.onChange?.()
  }
}

export class BucketsWithOptions implements Buckets {
  readonly #buckets: Buckets
  readonly #options: Pick<StoredBucketOptions, 'find'>
  /** Joined configurations, so that a request does not allocate one. */
  readonly #joined = new WeakMap<
    BucketConfiguration,
    { readonly options: BucketOptions; readonly configuration: BucketConfiguration }
  >()

  constructor(buckets: Buckets, options: Pick<StoredBucketOptions, 'find'>) {
    this.#buckets = buckets
    this.#options = options
  }

  find(name: string): BucketConfiguration | undefined {
    const bucket = this.#buckets.find(name)
    return bucket === undefined ? undefined : this.#join(bucket)
  }

  all(): readonly BucketConfiguration[] {
    return this.#buckets.all().map((bucket) => this.#join(bucket))
  }

  #join(bucket: BucketConfiguration): BucketConfiguration {
    const options = this.#options.find(bucket.name)
    if (options === none) return bucket
    const known = this.#joined.get(bucket)
    if (known?.options === options) return known.configuration
    const configuration = { ...bucket, ...options }
    this.#joined.set(bucket, { options, configuration })
    return configuration
  }
}

function optionsOf({ cors, lifecycle, quotaBytes, isPublic }: Row): BucketOptions {
  return {
    ...(cors !== '' && { cors: JSON.parse(cors) as CorsRule[] }),
    ...(lifecycle !== '' && { lifecycle: (JSON.parse(lifecycle) as StoredRule[]).map(ruleOf) }),
    ...(quotaBytes !== null && { quotaBytes }),
    ...(isPublic === 1 && { isPublic: true as const }),
  }
}

/** The changed documents as the table has them. */
export function documentsOf(change: BucketOptionsChange): Record<string, string> {
  const texts = documentNames.flatMap((name) => {
    const document = change[name]
    if (document === undefined) return []
    return [[name, document === null ? '' : JSON.stringify(document)]]
  })
  return Object.fromEntries(texts)
}

/**
 * An earlier version that does not know tags and sizes would remove too much. For such a version, the rule is stored as
 * disabled (docs/upgrade.md, "Roll back").
 */
type StoredRule = LifecycleRule & { readonly isEnabledForTags?: boolean }

function storedRule(rule: LifecycleRule): StoredRule {
  if ((rule.tags ?? rule.largerThan ?? rule.smallerThan) === undefined) return rule
  return { ...rule, isEnabled: false, isEnabledForTags: rule.isEnabled }
}

function ruleOf({ isEnabledForTags, ...rule }: StoredRule): LifecycleRule {
  return { ...rule, isEnabled: isEnabledForTags ?? rule.isEnabled }
}

function textOf(rules: readonly unknown[] | null): string {
  return rules === null || rules.length === 0 ? '' : JSON.stringify(rules)
}
