/** US dollars: "$1,204.50", "$0.0123". */
export function formatDollars(dollars: number): string {
  const most = dollars < 1 ? 4 : 2
  return new Intl.NumberFormat('en', {
    ...{ style: 'currency', currency: 'USD' },
    ...{ minimumFractionDigits: 2, maximumFractionDigits: most },
  }).format(dollars)
}
