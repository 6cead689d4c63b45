/** Names up to this length resemble others by chance, so they may differ in one letter, not two. */
const shortName = 6

/** The first known name that `name` may be a misspelling of. */
export function nearestName(name: string, knownNames: Iterable<string>): string | undefined {
  for (const known of knownNames) {
    const max = known.length <= shortName ? 1 : 2
    if (mayBeWithin(max, name, known) && distanceOf(name, known) <= max) return known
  }
  return undefined
}

/** The end of a sentence about a name that is not known; empty if none resembles it. @param what `the drive ` */
export function didYouMean(name: string, knownNames: Iterable<string>, what = ''): string {
  const near = nearestName(name, knownNames)
  return near === undefined ? '' : `. Did you mean ${what}${near}?`
}

/** A quick check before distanceOf: no change adds more than one character that the other name lacks. */
function mayBeWithin(max: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > max) return false
  const [inA, inB] = [charactersOf(a), charactersOf(b)]
  return bitsOf(inA & ~inB) <= max && bitsOf(inB & ~inA) <= max
}

/** A bit for each character in the text; characters share bits. */
function charactersOf(text: string): number {
  let bits = 0
  for (let index = 0; index < text.length; index++) bits |= 1 << text.charCodeAt(index)
  return bits
}

function bitsOf(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}

/** The number of insertions, deletions, replacements and swaps of neighbors (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
