export const texts = () => ({
  tableOf: (title: string) => `Table of ${title}`,
  time: 'Time',
  noData: 'No data in this period',
})

export type PlotsTexts = ReturnType<typeof texts>
