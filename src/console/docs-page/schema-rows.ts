import type { OpenApiDocument, Schema } from './open-api-types.ts'

/** A field of a body, as a table row. */
export interface SchemaRow {
  /** `connections[].name`; '' for the body itself. */
  readonly field: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

type Schemas = OpenApiDocument['components']['schemas']

/** Nothing here is nested deeper; recursive schemas are cut at this depth. */
const maxDepth = 6

/** The fields of a schema including nested fields, in order. */
export function schemaRows(schema: Schema, schemas: Schemas): SchemaRow[] {
  return rowsOf({ schema, field: '', isRequired: true, depth: 0 }, schemas)
}

interface Place {
  readonly schema: Schema
  readonly field: string
  readonly isRequired: boolean
  readonly depth: number
}

function rowsOf({ schema: given, field, isRequired, depth }: Place, schemas: Schemas): SchemaRow[] {
  const schema = resolve(given, schemas)
  const inner = contentOf(schema, schemas)
  const own = {
    field,
    type: typeOf(schema, schemas),
    isRequired,
    description: descriptionOf(schema),
  }
  const rows = field === '' && inner.properties !== undefined ? [] : [own]
  if (depth >= maxDepth) return rows
  const start = field + inner.suffix
  for (const [name, property] of Object.entries(inner.properties ?? {})) {
    const place = { schema: property, field: start === '' ? name : `${start}.${name}` }
    const isNeeded = inner.required.includes(name)
    rows.push(...rowsOf({ ...place, isRequired: isNeeded, depth: depth + 1 }, schemas))
  }
  return rows
}

interface SchemaContent {
  /** The separator between a field and its nested fields. */
  readonly suffix: string
  readonly properties: Schema['properties']
  readonly required: readonly string[]
}

/** The fields of an object, of the items of a list, or of the one variant that is not null. */
function contentOf(schema: Schema, schemas: Schemas): SchemaContent {
  if (schema.items !== undefined) {
    const content = contentOf(resolve(schema.items, schemas), schemas)
    return { ...content, suffix: `[]${content.suffix}` }
  }
  const [variant] = variantsOf(schema, schemas)
  if (schema.properties === undefined && variant !== undefined) return contentOf(variant, schemas)
  return { suffix: '', properties: schema.properties, required: schema.required ?? [] }
}

function variantsOf(schema: Schema, schemas: Schemas): Schema[] {
  return (schema.anyOf ?? schema.oneOf ?? [])
    .map((variant) => resolve(variant, schemas))
    .filter(({ type }) => type !== 'null')
}

function typeOf(schema: Schema, schemas: Schemas): string {
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) {
    const types = variants.map((variant) => typeOf(resolve(variant, schemas), schemas))
    return [...new Set(types)].join(' or ')
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.items !== undefined) {
    return `list of ${typeOf(resolve(schema.items, schemas), schemas)}`
  }
  if (typeof schema.additionalProperties === 'object') {
    return `map of ${typeOf(resolve(schema.additionalProperties, schemas), schemas)}`
  }
  return plainTypeOf(schema)
}

function plainTypeOf({ type, format, xml, minimum, maximum }: Schema): string {
  if (xml?.name !== undefined) return `<${xml.name}>`
  if (format === 'date-time') return 'time'
  const name = [type ?? 'anything'].flat().join(' or ')
  const hasRange = minimum !== undefined && maximum !== undefined
  return hasRange ? `${name}, ${minimum} to ${maximum}` : name
}

function descriptionOf({ description = '', default: value }: Schema): string {
  if (value === undefined) return description
  return `${description} Default: \`${JSON.stringify(value)}\`.`.trim()
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema
  return schemas[schema.$ref.slice('#/components/schemas/'.length)] ?? {}
}
