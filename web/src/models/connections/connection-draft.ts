import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { modelsTexts } from '../../texts/models.ts'
import { type Draft, type FieldOption, type FieldSpec, linesOf } from '../forms/field-spec.ts'
import { priceField, priceOf, priceText } from '../forms/price-field.ts'

/** The form of a connection and the request bodies it sends. */

const sources: readonly FieldOption[] = [
  { value: 'catalogue', label: modelsTexts.draft.catalogue },
  { value: 'openai-compatible', label: modelsTexts.draft.openAi },
  { value: 'anthropic-compatible', label: modelsTexts.draft.anthropic },
]

const isOfCatalogue = ({ source }: Draft) => source === 'catalogue'

const nameField: FieldSpec = {
  name: 'name',
  label: modelsTexts.draft.name,
  kind: 'text',
  path: 'name',
  placeholder: 'Lab',
}

const keyField: FieldSpec = {
  name: 'apiKey',
  label: modelsTexts.draft.apiKey,
  kind: 'secret',
  path: 'apiKey',
}

const placeFields: readonly FieldSpec[] = [
  {
    name: 'baseUrl',
    label: modelsTexts.draft.baseUrl,
    kind: 'text',
    path: 'providerSpecificData.baseUrl',
    description: modelsTexts.draft.baseUrlHint,
    placeholder: 'http://10.0.0.5/v1',
  },
  {
    name: 'prefix',
    label: modelsTexts.draft.prefix,
    kind: 'text',
    path: 'providerSpecificData.prefix',
    description: modelsTexts.draft.prefixHint,
    placeholder: 'lab',
  },
  {
    name: 'enabledModels',
    label: modelsTexts.draft.models,
    kind: 'lines',
    path: 'providerSpecificData.enabledModels',
    description: modelsTexts.draft.modelsHint,
  },
  {
    name: 'priority',
    label: modelsTexts.draft.priority,
    kind: 'text',
    path: 'priority',
    description: modelsTexts.draft.priorityHint,
  },
  {
    name: 'weight',
    label: modelsTexts.draft.weight,
    kind: 'text',
    path: 'providerSpecificData.weight',
    description: modelsTexts.draft.weightHint,
    placeholder: '1',
  },
  priceField('providerSpecificData.price', modelsTexts.draft.ofAllModels),
  {
    name: 'translate',
    label: modelsTexts.draft.otherApis,
    kind: 'select',
    path: 'providerSpecificData.translate',
    description: modelsTexts.draft.otherApisHint,
    options: [
      { value: '', label: modelsTexts.draft.translate },
      { value: 'off', label: modelsTexts.draft.doNotTranslate },
    ],
  },
  {
    name: 'headers',
    label: modelsTexts.draft.headers,
    kind: 'lines',
    path: 'providerSpecificData.headers',
    description: modelsTexts.draft.headersHint,
    placeholder: 'X-Title: Lab',
  },
]

export function newConnectionFields(providers: readonly FieldOption[]): readonly FieldSpec[] {
  return [
    {
      name: 'source',
      label: modelsTexts.draft.kind,
      kind: 'select',
      path: 'kind',
      options: sources,
    },
    {
      name: 'provider',
      label: modelsTexts.draft.provider,
      kind: 'suggested',
      path: 'provider',
      isRequired: true,
      options: providers,
      placeholder: 'openai',
      isShown: isOfCatalogue,
    },
    nameField,
    keyField,
    ...placeFields,
  ]
}

export const newConnectionDraft: Draft = { source: 'catalogue' }

/** The body of `POST /connections`. */
export function newConnectionBody(draft: Draft): object {
  const { source = '', provider = '', name = '', apiKey = '' } = draft
  const priority = numberOf(draft.priority)
  const providerData = providerDataOf(draft)
  return {
    ...(isOfCatalogue(draft) ? { provider: provider.trim() } : { kind: source }),
    ...(name !== '' && { name }),
    ...(apiKey !== '' && { apiKey }),
    ...(priority !== undefined && { priority }),
    ...(Object.keys(providerData).length > 0 && { providerSpecificData: providerData }),
  }
}

export function connectionFields(connection: ConnectionAnswer): readonly FieldSpec[] {
  const { apiKey, apiKeyState } = connection
  const hasKey = apiKeyState !== 'none'
  const removal: FieldSpec = {
    name: 'removesKey',
    label: modelsTexts.draft.removeKey,
    kind: 'check',
    path: '',
  }
  return [
    nameField,
    {
      ...keyField,
      placeholder: hasKey ? modelsTexts.draft.stored(apiKey ?? '****') : '',
      description: hasKey ? modelsTexts.draft.keepKey : modelsTexts.draft.noKey,
      isShown: ({ removesKey }) => removesKey !== 'yes',
    },
    ...placeFields,
    ...(hasKey ? [removal] : []),
  ]
}

export function connectionDraft(connection: ConnectionAnswer): Draft {
  const { name = '', priority = '', providerSpecificData = {} } = connection
  const { baseUrl = '', prefix = '', enabledModels = [], weight = '', price } = providerSpecificData
  const translate = providerSpecificData.translate === false ? 'off' : ''
  const headers = Object.entries(providerSpecificData.headers ?? {})
  return {
    ...{ name, apiKey: '', baseUrl, prefix, enabledModels: enabledModels.join('\n'), translate },
    headers: headers.map(([field, value]) => `${field}: ${value}`).join('\n'),
    ...{ priority: String(priority), weight: String(weight), price: priceText(price) },
  }
}

/**
 * The body of `PATCH /connections/{id}`: empty fields are removed, except the key, which is kept.
 */
export function connectionChange(draft: Draft): object {
  const { name = '', apiKey = '', removesKey } = draft
  const emptied = {
    ...{ baseUrl: null, prefix: null, enabledModels: null },
    ...{ weight: null, price: null, translate: null, headers: null },
  }
  return {
    name: name === '' ? null : name,
    ...(removesKey === 'yes' && { apiKey: null }),
    ...(removesKey !== 'yes' && apiKey !== '' && { apiKey }),
    priority: numberOf(draft.priority) ?? null,
    providerSpecificData: { ...emptied, ...providerDataOf(draft) },
  }
}

interface ProviderData {
  readonly baseUrl?: string
  readonly prefix?: string
  readonly enabledModels?: readonly string[]
  readonly weight?: number | string
  readonly price?: object | string
  readonly translate?: false
  readonly headers?: object | string
}

/** Only the fields that are filled in. */
function providerDataOf(draft: Draft): ProviderData {
  const { baseUrl = '', prefix = '' } = draft
  const models = linesOf(draft.enabledModels)
  const weight = numberOf(draft.weight)
  const price = priceOf(draft.price)
  const headers = headersOf(draft.headers)
  return {
    ...(baseUrl.trim() !== '' && { baseUrl: baseUrl.trim() }),
    ...(prefix.trim() !== '' && { prefix: prefix.trim() }),
    ...(models.length > 0 && { enabledModels: models }),
    ...(weight !== undefined && { weight }),
    ...(price !== undefined && { price }),
    ...(draft.translate === 'off' && { translate: false }),
    ...(headers !== undefined && { headers }),
  }
}

/** Undefined if empty. Text without a colon, or with a name twice, stays as it is for the same reason as numbers. */
function headersOf(text = ''): object | string | undefined {
  const entries = linesOf(text).map((line) => /^([^:]*):(.*)$/.exec(line)?.slice(1) ?? [])
  if (entries.length === 0) return undefined
  const headers = Object.fromEntries(
    entries.map(([name = '', value = '']) => [name.trim(), value.trim()]),
  )
  const isWhole = entries.every(({ length }) => length === 2)
  return isWhole && Object.keys(headers).length === entries.length ? headers : text
}

/** Undefined if empty. Other text stays as it is, so that the service refuses it and names the field. */
function numberOf(text = ''): number | string | undefined {
  const entered = text.trim()
  if (entered === '') return undefined
  return Number.isFinite(Number(entered)) ? Number(entered) : entered
}
