import { z } from 'zod'
import {
  aliasMap,
  aliasName,
  aliasTarget,
  apiKey,
  baseUrl,
  comboName,
  customModelId,
  enabledModelId,
  headers,
  itemId,
  label,
  maxComboModels,
  maxCombos,
  maxConnections,
  maxCustomModels,
  maxEnabledModels,
  modelId,
  orMissing,
  prefix,
  price,
  priority,
  serviceKind,
  timestampMs,
  weight,
} from './field-schemas.ts'
import { compatibleKinds } from './random-id.ts'

/** Requests: unknown fields are rejected, null equals missing. */

const providerSpecificData = z.strictObject({
  baseUrl: baseUrl.nullish(),
  prefix: prefix.nullish(),
  enabledModels: z.array(enabledModelId).max(maxEnabledModels).nullish(),
  weight: weight
    .nullish()
    .describe('Its share of the calls among connections of one priority. Default: 1'),
  price: price.nullish(),
  translate: z
    .boolean()
    .nullish()
    .describe('Whether calls in other APIs than its own are translated for it. Default: true'),
  headers: headers.nullish(),
})

const connectionFields = {
  name: label.nullish(),
  isActive: z.boolean().nullish(),
  priority: priority.nullish(),
  apiKey: apiKey.nullish(),
  providerSpecificData: providerSpecificData.nullish(),
}

const keyState = z.enum(['none', 'stored', 'unreadable'])

/**
 * A connection of a whole state. `apiKeyState` is accepted because responses contain it, and
 * ignored.
 */
const connectionInput = z.strictObject({
  id: itemId.optional(),
  provider: itemId,
  ...connectionFields,
  apiKeyState: keyState.optional(),
  createdAtMs: timestampMs.optional(),
})

export const newConnection = z
  .strictObject({
    provider: itemId.optional(),
    kind: z.enum(compatibleKinds).optional(),
    ...connectionFields,
  })
  .refine(({ provider, kind }) => (provider === undefined) !== (kind === undefined), {
    path: ['provider'],
    message: 'expected either provider or, for a provider of your own, kind',
  })

/** Missing fields stay, null removes a field, also inside providerSpecificData (RFC 7396). */
export const connectionChange = z.strictObject({
  provider: itemId.optional(),
  ...connectionFields,
})

export const connectionOrder = z.strictObject({
  ids: z.array(itemId).min(1).max(maxConnections),
})

export const comboInput = z.strictObject({
  name: comboName,
  kind: orMissing(serviceKind),
  models: orMissing(z.array(modelId).max(maxComboModels)),
})

export const customModelInput = z.strictObject({
  id: customModelId,
  providerAlias: itemId,
  type: orMissing(serviceKind),
  name: orMissing(label),
  price: orMissing(price),
})

export const modelAliasInput = z.strictObject({ name: aliasName, target: aliasTarget })

export const routingInput = z.strictObject({
  connections: z.array(connectionInput).max(maxConnections),
  combos: z.array(comboInput).max(maxCombos),
  customModels: z.array(customModelInput).max(maxCustomModels),
  modelAliases: aliasMap(aliasName, aliasTarget),
  warnings: z.unknown().optional(),
})

export type ConnectionInput = z.output<typeof connectionInput>
export type ConnectionChange = z.output<typeof connectionChange>
export type RoutingInput = z.output<typeof routingInput>

/** Responses. */

export const warnings = z
  .array(z.object({ field: z.string(), message: z.string() }))
  .describe('Stored input that has no effect on any list')

const withWarnings = { warnings }

const providerSpecificDataAnswer = z.object({
  baseUrl: z.string().optional(),
  prefix: z.string().optional(),
  enabledModels: z.array(z.string()).readonly().optional(),
  weight: z.int().optional(),
  price: price.optional(),
  translate: z.boolean().optional(),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Names of header fields, and masks'),
})

const connectionAnswer = z.object({
  id: z.string(),
  provider: z.string(),
  name: z.string().optional(),
  isActive: z.boolean(),
  priority: z.int().optional(),
  apiKey: z.string().optional().describe('A mask'),
  apiKeyState: keyState,
  providerSpecificData: providerSpecificDataAnswer.optional(),
  createdAtMs: z.int().optional(),
})

const comboAnswer = z.object({
  name: z.string(),
  kind: serviceKind.optional(),
  models: z.array(z.string()).readonly().optional(),
})

const customModelAnswer = z.object({
  id: z.string(),
  providerAlias: z.string(),
  type: serviceKind.optional(),
  name: z.string().optional(),
  price: price.optional(),
})

const modelAliasAnswer = z.object({ name: z.string(), target: z.string() })

export const routingAnswer = z.object({
  connections: z.array(connectionAnswer).readonly(),
  combos: z.array(comboAnswer).readonly(),
  customModels: z.array(customModelAnswer).readonly(),
  modelAliases: z.record(z.string(), z.string()),
})

/** Responses to changes of one item: `field` is relative to the item. */
export const changedConnection = connectionAnswer.extend(withWarnings)
export const changedCombo = comboAnswer.extend(withWarnings)
export const changedCustomModel = customModelAnswer.extend(withWarnings)
export const changedModelAlias = modelAliasAnswer.extend(withWarnings)

/** The whole state with its warnings. */
export const warnedRouting = routingAnswer.extend(withWarnings)

export type ConnectionAnswer = z.output<typeof connectionAnswer>
export type ComboAnswer = z.output<typeof comboAnswer>
export type CustomModelAnswer = z.output<typeof customModelAnswer>
export type RoutingAnswer = z.output<typeof routingAnswer>
export type WarnedRouting = z.output<typeof warnedRouting>
export type FieldWarning = WarnedRouting['warnings'][number]
