import { locale } from '../texts/language.ts'

/** US dollars: "$1,204.50", "$0.0123". */
export function formatDollars(dollars: number): string {
  const most = dollars < 1 ? 4 : 2
  return new Intl.NumberFormat(locale, {
    ...{ style: 'currency', currency: 'USD' },
    ...{ minimumFractionDigits: 2, maximumFractionDigits: most },
  }).format(dollars)
}
