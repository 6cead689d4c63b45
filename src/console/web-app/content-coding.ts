/** Content codings of the built assets, smallest first, with their file suffixes. */
const assetCodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const
export type AssetCoding = (typeof assetCodings)[number]

/** The codings that a client accepts, best first (RFC 9110 section 12.5.3). */
export function acceptedCodings(acceptEncoding: string | undefined): readonly AssetCoding[] {
  if (acceptEncoding === undefined) return []
  const weights = new Map(acceptEncoding.split(',').map(weightOf))
  const any = weights.get('*') ?? 0
  return assetCodings.filter(({ name }) => (weights.get(name) ?? any) > 0)
}

function weightOf(item: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
