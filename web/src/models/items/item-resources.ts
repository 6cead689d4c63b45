import type {
  ComboAnswer,
  CustomModelAnswer,
  RoutingAnswer,
} from '../../../../src/models/routing/routing-schemas.ts'
import { type Draft, type FieldSpec, linesOf } from '../forms/field-spec.ts'
import { priceField, priceOf, priceText } from '../forms/price-field.ts'
import { aliasField } from '../warnings-at.ts'

/** Routing items that share one editor. */
export interface ItemResource<Item> {
  readonly title: string
  /** Explains the items if there are none yet. */
  readonly hint: string
  /** "combo": on buttons and in questions. */
  readonly noun: string
  /** Below `/-/api/routing`. */
  readonly path: string
  readonly fields: readonly FieldSpec[]
  readonly itemsOf: (state: RoutingAnswer) => readonly Item[]
  /** The path that warnings use for an item: `combos[2]`. */
  readonly fieldOf: (item: Item, index: number) => string
  /** The path of an item below `path`, encoded. */
  readonly keyOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  readonly kindOf: (item: Item) => string | undefined
  /** A one-line description. */
  readonly detailOf: (item: Item) => string
  readonly draftOf: (item: Item | undefined) => Draft
  readonly bodyOf: (draft: Draft) => object
}

const kindOptions = [
  { value: 'llm', label: 'Chat' },
  { value: 'image', label: 'Image' },
  { value: 'tts', label: 'Speech' },
  { value: 'stt', label: 'Transcription' },
  { value: 'embedding', label: 'Embedding' },
  { value: 'imageToText', label: 'Image to text' },
  { value: 'webSearch', label: 'Web search' },
  { value: 'webFetch', label: 'Web fetch' },
] as const

/** Chat is the default and gets no label. */
function kindLabel(kind: string | undefined): string | undefined {
  if (kind === undefined || kind === 'llm') return undefined
  return kindOptions.find(({ value }) => value === kind)?.label ?? kind
}

const nameField: FieldSpec = {
  name: 'name',
  label: 'Name',
  kind: 'text',
  path: 'name',
  isRequired: true,
}

export const combos: ItemResource<ComboAnswer> = {
  title: 'Combos',
  hint: 'A combo is one name for several models. It is listed by its name. Your router decides how its models are used.',
  noun: 'combo',
  path: '/combos',
  fields: [
    { ...nameField, description: 'Letters, digits and _ . -', placeholder: 'smart' },
    { name: 'kind', label: 'Kind', kind: 'select', path: 'kind', options: kindOptions },
    {
      name: 'models',
      label: 'Models',
      kind: 'lines',
      path: 'models',
      description: 'One model id per line',
      placeholder: 'openai/gpt-5',
    },
  ],
  itemsOf: (state) => state.combos,
  fieldOf: (_item, index) => `combos[${index}]`,
  keyOf: ({ name }) => encodeURIComponent(name),
  nameOf: ({ name }) => name,
  kindOf: ({ kind }) => kindLabel(kind),
  detailOf: ({ models = [] }) => (models.length === 0 ? 'No models' : models.join(', ')),
  draftOf: (item) => ({
    name: item?.name ?? '',
    kind: item?.kind ?? 'llm',
    models: (item?.models ?? []).join('\n'),
  }),
  bodyOf: ({ name, kind, models }) => ({ name, kind, models: linesOf(models) }),
}

export const customModels: ItemResource<CustomModelAnswer> = {
  title: 'Custom models',
  hint: 'A custom model adds a chat model to a connected provider that does not list it, or gives a model a price of your own.',
  noun: 'custom model',
  path: '/custom-models',
  fields: [
    {
      name: 'providerAlias',
      label: 'Provider',
      kind: 'text',
      path: 'providerAlias',
      isRequired: true,
      description: 'Provider id, alias or prefix',
      placeholder: 'openai',
    },
    {
      name: 'id',
      label: 'Model id',
      kind: 'text',
      path: 'id',
      isRequired: true,
      placeholder: 'gpt-5-preview',
    },
    {
      name: 'type',
      label: 'Kind',
      kind: 'select',
      path: 'type',
      options: kindOptions,
      description: 'Only custom models of kind Chat are listed',
    },
    { name: 'name', label: 'Display name', kind: 'text', path: 'name' },
    priceField('price', 'of this model'),
  ],
  itemsOf: (state) => state.customModels,
  fieldOf: (_item, index) => `customModels[${index}]`,
  keyOf: ({ type = 'llm', providerAlias, id }) =>
    [type, providerAlias, id].map(encodeURIComponent).join('/'),
  nameOf: ({ providerAlias, id }) => `${providerAlias}/${id}`,
  kindOf: ({ type }) => kindLabel(type),
  detailOf: ({ name, price }) =>
    [name, price && `$${priceText(price)} per million tokens`].filter((part) => part).join(' · '),
  draftOf: (item) => ({
    providerAlias: item?.providerAlias ?? '',
    id: item?.id ?? '',
    type: item?.type ?? 'llm',
    name: item?.name ?? '',
    price: priceText(item?.price),
  }),
  bodyOf: ({ providerAlias, id, type, name, price }) => ({
    ...{ providerAlias, id, type },
    ...(name !== undefined && name !== '' && { name }),
    price: priceOf(price),
  }),
}

export interface ModelAlias {
  readonly name: string
  readonly target: string
}

export const aliases: ItemResource<ModelAlias> = {
  title: 'Aliases',
  hint: 'An alias adds its target model to the list of its provider. The alias itself is not listed.',
  noun: 'alias',
  path: '/model-aliases',
  fields: [
    { ...nameField, placeholder: 'mine' },
    {
      name: 'target',
      label: 'Model',
      kind: 'text',
      path: 'target',
      isRequired: true,
      description: 'Provider and model id, separated by a slash',
      placeholder: 'openai/gpt-5',
    },
  ],
  itemsOf: (state) =>
    Object.entries(state.modelAliases).map(([name, target]) => ({ name, target })),
  fieldOf: ({ name }) => aliasField(name),
  keyOf: ({ name }) => encodeURIComponent(name),
  nameOf: ({ name }) => name,
  kindOf: () => undefined,
  detailOf: ({ target }) => target,
  draftOf: (item) => ({ name: item?.name ?? '', target: item?.target ?? '' }),
  bodyOf: ({ name, target }) => ({ name, target }),
}
