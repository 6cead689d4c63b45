import { type BenchContext, median, type Table, verdict } from './scenario.ts'
import { bucketry, raw, rawDurable, type ServerKind, serverKinds } from './server-kinds.ts'

/** What was measured of each server, one of each round. */
export type Rounds<Measured> = ReadonlyMap<ServerKind, readonly Measured[]>

/** The medians of a figure, and what is wanted of Bucketry's. */
export interface Column<Measured> {
  readonly title: string
  readonly of: (measured: Measured) => number
  readonly digits?: number
  /** The figure in words. */
  readonly show?: (figure: number) => string
  readonly most?: number
  readonly leastShare?: Share
  readonly mostShare?: Share
}

/** A multiple of another server's figure in the same run. */
export interface Share {
  readonly of: ServerKind
  readonly share: number
}

export type Columns<Measured> = readonly [Column<Measured>, ...Column<Measured>[]]

/** The installed servers that the command line asks for. */
export function wantedKinds(context: BenchContext, among = serverKinds): ServerKind[] {
  return among.filter((kind) => kind.absence === undefined && context.isWanted(kind))
}

/**
 * Measures one server after the other. The order is reversed every round, so that none is always
 * behind the same neighbour.
 */
export async function inRounds<Subject, Measured>(
  context: BenchContext,
  name: string,
  subjects: ReadonlyMap<ServerKind, Subject>,
  measure: (subject: Subject) => Promise<Measured>,
): Promise<Rounds<Measured>> {
  const all = new Map<ServerKind, Measured[]>([...subjects.keys()].map((kind) => [kind, []]))
  for (let round = 1; round <= context.rounds; round++) {
    const order = [...subjects]
    for (const [kind, subject] of round % 2 === 1 ? order : order.reverse()) {
      context.progress(`${name} ${round}/${context.rounds} ${kind.name}`)
      all.get(kind)?.push(await measure(subject))
    }
  }
  return all
}

/** The ratios compare the first column with that of the raw servers. */
export function tabulateRounds<Measured>(
  rounds: Rounds<Measured>,
  columns: Columns<Measured>,
  judged = bucketry,
): Table {
  const floors = [raw, rawDurable].filter((kind) => rounds.has(kind))
  const medianOf = (kind: ServerKind, { of }: Column<Measured>) =>
    median((rounds.get(kind) ?? []).map(of))
  const ratioOf = (kind: ServerKind, floor: ServerKind, column: Column<Measured>) =>
    medianOf(kind, column) / medianOf(floor, column)
  const judge = (column: Column<Measured>): string[] => {
    const { title, most, leastShare, mostShare, digits = 1 } = column
    const figure = medianOf(judged, column)
    const verdicts: string[] = []
    if (most !== undefined)
      verdicts.push(verdict(`${title} ${figure.toFixed(digits)}`, figure <= most))
    for (const wanted of [leastShare, mostShare]) {
      if (wanted === undefined || !rounds.has(wanted.of)) continue
      const ratio = ratioOf(judged, wanted.of, column)
      const isMet = wanted === leastShare ? ratio >= wanted.share : ratio <= wanted.share
      verdicts.push(verdict(`${title} ${ratio.toFixed(2)} × ${wanted.of.name}`, isMet))
    }
    return verdicts
  }
  return {
    columns: [
      ...['server', ...columns.map(({ title }) => title)],
      ...floors.map(({ name }) => `× ${name}`),
    ],
    rows: [...rounds.keys()].map((kind) => [
      kind.name,
      ...columns.map((column) => shown(medianOf(kind, column), column)),
      ...floors.map((floor) => ratioOf(kind, floor, columns[0]).toFixed(2)),
    ]),
    verdict: columns.flatMap(judge).join('; '),
  }
}

function shown<Measured>(figure: number, { show, digits = 1 }: Column<Measured>): string {
  return show?.(figure) ?? figure.toFixed(digits)
}

/** What is wanted of the columns, in words. */
export function targetOf<Measured>(columns: Columns<Measured>): string {
  const inWords = (title: string, limit: string, wanted: Share | undefined) =>
    wanted === undefined ? [] : [`${title} ${limit} ${wanted.share} × ${wanted.of.name}`]
  const words = columns.flatMap(({ title, most, leastShare, mostShare }) => [
    ...(most === undefined ? [] : [`${title} at most ${most}`]),
    ...inWords(title, 'at least', leastShare),
    ...inWords(title, 'at most', mostShare),
  ])
  return words.join('; ')
}
