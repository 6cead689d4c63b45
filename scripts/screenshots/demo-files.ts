/**
 * The content of a file of the demo drive. `picture`: a CSS background to draw. `bytes`: the size of
 * the file, which is sparse.
 */
export type DemoContent =
  | { readonly text: string }
  | { readonly picture: string; readonly bytes: number }
  | { readonly page: string }
  | { readonly bytes: number }

export interface DemoFile {
  /** Its first folder is the bucket. */
  readonly path: string
  readonly daysOld: number
  /** Of the day, in UTC: "17:42". */
  readonly time: string
  readonly content: DemoContent
}

export const buckets = ['photos', 'documents', 'backups'] as const
export const publicBucket = 'photos'

/** The folder in the pictures of the file browser. */
export const shownFolder = '2026/Lofoten/'
export const shownPicture = 'Evening at Reine.jpg'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** A sunset. */
const evening =
  'radial-gradient(circle at 64% 60%, #ffe9c7 4%, transparent 5%), ' +
  'linear-gradient(#2b3a67, #b56576 45%, #f6bd8b 68%, #3b3355 68%, #1d2438)'

const notes = `# Lofoten

- Ferry from Bodø at 14:45, be there an hour before
- Reine: the light is best from the bridge, 40 minutes before sunset
- Cards copied to this folder every evening, originals stay on the camera
`

const route = `<?xml version="1.0"?>
<gpx version="1.1" creator="demo" xmlns="http://www.topografix.com/GPX/1/1">
  <trk><name>Reinebringen</name><trkseg>
    <trkpt lat="67.9297" lon="13.0881"/><trkpt lat="67.9241" lon="13.0790"/>
  </trkseg></trk>
</gpx>
`

/** Photos with realistic sizes: name, bytes, age in days, time. */
const lofoten = [
  ['Arrival at Moskenes', 5_453_214, 64, '16:20'],
  ['Boathouses', 4_928_307, 64, '17:48'],
  ['Drying racks', 6_396_518, 63, '09:12'],
  ['Evening at Reine', 7_759_820, 63, '17:06'],
  ['Kvalvika beach', 8_703_166, 62, '11:35'],
  ['Northern lights', 10_066_329, 62, '20:51'],
  ['Rain over Hamnøy', 4_613_734, 61, '08:27'],
] as const

const shown: readonly DemoFile[] = [
  ...lofoten.map(([name, bytes, daysOld, time]) => {
    return { ...inFolder(`${name}.jpg`, daysOld, time), content: { picture: evening, bytes } }
  }),
  { ...inFolder('Notes.md', 58, '19:03'), content: { text: notes } },
  { ...inFolder('Reinebringen.gpx', 62, '13:44'), content: { text: route } },
  { ...inFolder('Time-lapse.mp4', 1, '18:30'), content: { bytes: 225_024_409 } },
  ...blanks(`photos/${shownFolder}Raw/DSC_`, 48, { bytes: 27 * mebibyte, daysOld: 62 }),
  ...blanks(`photos/${shownFolder}Prints/A3 `, 6, { bytes: 18 * mebibyte, daysOld: 20 }),
]

const years: readonly DemoFile[] = [
  ...blanks('photos/2023/Dolomites/DSC_', 184, { bytes: 6.2 * mebibyte, daysOld: 1000 }),
  ...blanks('photos/2024/Iceland/DSC_', 312, { bytes: 7.1 * mebibyte, daysOld: 700 }),
  ...blanks('photos/2025/Garden/DSC_', 96, { bytes: 5.4 * mebibyte, daysOld: 300 }),
  ...blanks('photos/2025/Wedding/DSC_', 421, { bytes: 6.8 * mebibyte, daysOld: 480 }),
]

const documents: readonly DemoFile[] = [
  ...['Rental contract', 'Travel insurance', 'Warranty dishwasher'].map((page, index) => ({
    path: `documents/Contracts/${page}.pdf`,
    daysOld: (index + 2) * 90,
    time: '10:15',
    content: { page },
  })),
  ...blanks('documents/Invoices/Invoice ', 34, { bytes: 84 * kibibyte, daysOld: 9 }),
  ...blanks('documents/Scans/Scan ', 71, { bytes: 1.3 * mebibyte, daysOld: 40 }),
  {
    path: 'documents/Recipes.md',
    daysOld: 3,
    time: '18:00',
    content: { text: '# Recipes\n\n1. Fish soup\n2. Cinnamon buns\n' },
  },
]

const backups: readonly DemoFile[] = [
  ...blanks('backups/laptop/data/', 640, { bytes: 16.4 * mebibyte, daysOld: 1 }),
  ...blanks('backups/laptop/snapshots/', 28, { bytes: 342, daysOld: 1 }),
  ...blanks('backups/postgres/nightly ', 14, { bytes: 212 * mebibyte, daysOld: 2 }),
]

export const demoFiles: readonly DemoFile[] = [...shown, ...years, ...documents, ...backups]

function inFolder(name: string, daysOld: number, time: string): Omit<DemoFile, 'content'> {
  return { path: `photos/${shownFolder}${name}`, daysOld, time }
}

interface Blank {
  readonly bytes: number
  readonly daysOld: number
}

/** Sparse files of about this size. */
function blanks(start: string, count: number, { bytes, daysOld }: Blank): DemoFile[] {
  const extension = start.startsWith('photos') ? '.nef' : '.bin'
  return Array.from({ length: count }, (_, index) => ({
    path: `${start}${String(index + 1).padStart(4, '0')}${extension}`,
    daysOld,
    time: `${String(8 + (index % 11)).padStart(2, '0')}:${String((index * 7) % 60).padStart(2, '0')}`,
    content: { bytes: Math.round(bytes * (0.9 + ((index * 7) % 20) / 100)) },
  }))
}

/** Files uploaded to the shown folder: name and bytes. */
export const uploadedFiles = [
  ['DSC_0412.nef', 28.1 * mebibyte],
  ['DSC_0413.nef', 27.6 * mebibyte],
  ['Reine by drone.mp4', 186.4 * mebibyte],
  ['Surfers.mp4', 142.8 * mebibyte],
] as const
