import { Button } from '@mantine/core'
import { IconListSearch, IconPlus } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useBuckets } from '../api/service-queries.ts'
import { Loaded } from '../ui/loaded.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { CreateBucketButton } from './create-bucket-button.tsx'
import { FirstSteps } from './first-steps.tsx'
import { BucketsTable } from './table/buckets-table.tsx'
import { useCreationObstacle } from './use-creation-obstacle.ts'

const SearchDialog = lazy(async () => {
  const { SearchDialog } = await import('../files/search/search-dialog.tsx')
  return { default: SearchDialog }
})

/** The beginning of Files: the buckets. */
export function BucketsPage() {
  const obstacle = useCreationObstacle()
  const buckets = useBuckets()
  const hasSome = (buckets.data?.buckets.length ?? 0) > 0
  return (
    <>
      <PageHeading
        title="Files"
        actions={
          hasSome && (
            <>
              <SearchButton />
              {obstacle === undefined && (
                <CreateBucketButton leftSection={<IconPlus size={16} />}>
                  Create a bucket
                </CreateBucketButton>
              )}
            </>
          )
        }
      >
        {hasSome ? obstacle : undefined}
      </PageHeading>
      <FirstSteps />
      <Section title="Buckets">
        <Loaded query={buckets} failure="The buckets could not be loaded">
          {(reply) => <BucketsTable buckets={reply.buckets} />}
        </Loaded>
      </Section>
    </>
  )
}

function SearchButton() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconListSearch size={16} />}
        onClick={() => setIsOpen(true)}
      >
        Search
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <SearchDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
