const firstMs = 1_000
const longestMs = 60_000

/** The pause after so many failures: twice as long each time, up to a minute, and up to half of it shorter by chance. */
export function backOffMs(failures: number, random: () => number): number {
  const wholeMs = Math.min(firstMs * 2 ** Math.max(0, failures - 1), longestMs)
  return Math.round(wholeMs * (1 - random() / 2))
}
