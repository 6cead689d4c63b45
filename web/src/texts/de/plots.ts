import type { PlotsTexts } from '../en/plots.ts'

export const texts = (): PlotsTexts => ({
  tableOf: (title) => `Tabelle: ${title}`,
  time: 'Zeit',
  noData: 'Keine Daten in diesem Zeitraum',
})
