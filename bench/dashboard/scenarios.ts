import type { Scenario } from '../scenario.ts'
import { measureFirstLoad } from './first-load.ts'
import { dashboardScenario } from './opened.ts'
import { measurePhotos } from './photos.ts'
import { measureList, measureUploads } from './small-files.ts'

export const dashboardScenarios: readonly Scenario[] = [
  dashboardScenario(
    'dashboard-load',
    'What does a browser load that opens the dashboard for the first time?',
    measureFirstLoad,
  ),
  dashboardScenario('dashboard-list', 'How fast is a large folder?', measureList),
  dashboardScenario('dashboard-uploads', 'How fast are many small files?', measureUploads),
  dashboardScenario(
    'dashboard-photos',
    'How fast are 500 photos of 12 megapixels, and what do they cost on the page of a link?',
    measurePhotos,
  ),
]
