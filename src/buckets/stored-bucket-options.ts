import type {
  BucketOptionsTable,
  BucketOptionsRow as Row,
  BucketOptionsChange as RowChange,
} from '../state/stores/bucket-options.ts'
import type { BucketOptions, BucketOptionsChange, BucketOptionsWriter } from './bucket-options.ts'
import type { BucketConfiguration, Buckets } from './buckets.ts'
import type { CorsRule } from './cors-rules.ts'
import type { LifecycleRule } from './lifecycle-rules.ts'

const none: BucketOptions = {}

export interface StoredBucketOptionsParts {
  readonly table: Pick<BucketOptionsTable, 'changedAfter' | 'change'>
  /** Makes `reload` run if the revision has changed (RevisionWatch.check). */
  readonly refresh: () => Promise<void>
}

/** The bucket options of the database, in memory. */
export class StoredBucketOptions implements BucketOptionsWriter {
  readonly #parts: StoredBucketOptionsParts
  readonly #options = new Map<string, BucketOptions>()
  #loaded = 0

  constructor(parts: StoredBucketOptionsParts) {
    this.#parts = parts
  }

  /** Loads what has changed since the last call. @throws DatabaseError */
  async reload(): Promise<void> {
    for (const row of await this.#parts.table.changedAfter(this.#loaded)) {
      const options = optionsOf(row)
      if (Object.keys(options).length === 0) this.#options.delete(row.bucket)
      else this.#options.set(row.bucket, options)
      this.#loaded = Math.max(this.#loaded, row.revision)
    }
  }

  /** Whether nothing is set for any bucket. */
  get isEmpty(): boolean {
    return this.#options.size === 0
  }

  /** The same object until the options of the bucket change. */
  find(bucket: string): BucketOptions {
    return this.#options.get(bucket) ?? none
  }

  async change(
    bucket: string,
    { cors, lifecycle, quotaBytes, isPublic }: BucketOptionsChange,
  ): Promise<void> {
    const change: RowChange = {
      ...(cors !== undefined && { cors: textOf(cors) }),
      ...(lifecycle !== undefined && { lifecycle: textOf(lifecycle?.map(storedRule) ?? null) }),
      ...(quotaBytes !== undefined && { quotaBytes }),
      ...(isPublic !== undefined && { isPublic: isPublic === null ? 0 : 1 }),
    }
    await this.#parts.table.change(bucket, change)
    await this.#parts.refresh()
  }
}

/** Buckets with their options. */
export class BucketsWithOptions implements Buckets {
  readonly #buckets: Buckets
  readonly #options: Pick<StoredBucketOptions, 'find'>
  /** So that a request does not make an object. */
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

/**
 * A version that knows no tags would remove what the rule does not name: to it, the rule is disabled
 * (docs/upgrade.md, "Roll back").
 */
type StoredRule = LifecycleRule & { readonly isEnabledForTags?: boolean }

function storedRule(rule: LifecycleRule): StoredRule {
  if (rule.tags === undefined) return rule
  return { ...rule, isEnabled: false, isEnabledForTags: rule.isEnabled }
}

function ruleOf({ isEnabledForTags, ...rule }: StoredRule): LifecycleRule {
  return { ...rule, isEnabled: isEnabledForTags ?? rule.isEnabled }
}

function textOf(rules: readonly unknown[] | null): string {
  return rules === null || rules.length === 0 ? '' : JSON.stringify(rules)
}
