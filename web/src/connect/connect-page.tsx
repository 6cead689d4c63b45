import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { PageHeading } from '../ui/page-heading.tsx'
import { ConnectSection } from './connect-section.tsx'

/** How clients connect. */
export function ConnectPage() {
  return (
    <>
      <PageHeading title="Connect">
        What a client needs, with settings to paste. For an app, create a key of its own under{' '}
        <Anchor component={Link} href="/keys" inherit underline="always">
          Keys
        </Anchor>
        : its settings then have the secret.
      </PageHeading>
      <ConnectSection />
    </>
  )
}
