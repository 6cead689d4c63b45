import { Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { lastFolder } from '../files/last-folder.ts'
import { Loading } from '../ui/loading.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { BucketPage, bucketPattern, pageGroups } from './pages.ts'

export function Routes() {
  const [path] = useLocation()
  return (
    <PageBoundary path={path}>
      <Suspense fallback={<Loading />}>
        <Switch>
          {pageGroups.flat().map(({ pattern, Content }) => (
            <Route key={pattern} path={pattern} component={Content} />
          ))}
          <Route path={bucketPattern} component={BucketPage} />
          {['/', '/sign-in'].map((path) => (
            <Route key={path} path={path}>
              <Redirect to={lastFolder()} replace />
            </Route>
          ))}
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </PageBoundary>
  )
}
