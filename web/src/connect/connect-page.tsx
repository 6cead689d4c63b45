import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { connectTexts } from '../texts/connect.ts'
import { Rich } from '../texts/rich.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { ConnectSection } from './connect-section.tsx'

/** How clients connect. */
export function ConnectPage() {
  return (
    <>
      <PageHeading title={connectTexts.title}>
        <Rich
          text={connectTexts.text}
          marks={{
            keys: (words) => (
              <Anchor component={Link} href="/keys" inherit underline="always">
                {words}
              </Anchor>
            ),
          }}
        />
      </PageHeading>
      <ConnectSection />
    </>
  )
}
