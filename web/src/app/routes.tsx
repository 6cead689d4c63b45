import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { Loading } from '../ui/loading.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { PageBoundary } from './page-boundary.tsx'

const OverviewPage = lazy(async () => {
  const { OverviewPage } = await import('../overview/overview-page.tsx')
  return { default: OverviewPage }
})
const FilesPage = lazy(async () => {
  const { FilesPage } = await import('../files/files-page.tsx')
  return { default: FilesPage }
})
const KeysPage = lazy(async () => {
  const { KeysPage } = await import('../keys/keys-page.tsx')
  return { default: KeysPage }
})
const ModelsPage = lazy(async () => {
  const { ModelsPage } = await import('../models/models-page.tsx')
  return { default: ModelsPage }
})

/** One chunk per page, so that the first page does not wait for the others. */
export function Routes() {
  const [path] = useLocation()
  return (
    <PageBoundary path={path}>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/" component={OverviewPage} />
          <Route path="/files/*?" component={FilesPage} />
          <Route path="/keys" component={KeysPage} />
          <Route path="/models/*?" component={ModelsPage} />
          <Route path="/sign-in">
            <Redirect to="/" replace />
          </Route>
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </PageBoundary>
  )
}
