import { Box, Group } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useBuckets } from '../api/service-queries.ts'
import { FilesViews } from '../files/files-views.tsx'
import { SearchEverywhere } from '../files/search/search-everywhere.tsx'
import { bucketsTexts } from '../texts/buckets.ts'
import { Loaded } from '../ui/loaded.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { CreateBucketButton } from './create-bucket-button.tsx'
import { FirstSteps } from './first-steps.tsx'
import { BucketsTable } from './table/buckets-table.tsx'
import { useCreationObstacle } from './use-creation-obstacle.ts'

/** The beginning of Files: the buckets. */
export function BucketsPage() {
  const obstacle = useCreationObstacle()
  const buckets = useBuckets()
  // While they load, the heading is as high as with them.
  const hasSome = (buckets.data?.buckets.length ?? 1) > 0
  return (
    <>
      <PageHeading
        title={bucketsTexts.files}
        actions={
          hasSome && (
            <Group gap={8}>
              <SearchEverywhere />
              {obstacle === undefined && (
                <CreateBucketButton leftSection={<IconPlus size={16} />}>
                  {bucketsTexts.create}
                </CreateBucketButton>
              )}
            </Group>
          )
        }
      >
        {hasSome ? obstacle : undefined}
      </PageHeading>
      {hasSome && (
        <Box mb="md">
          <FilesViews here={undefined} />
        </Box>
      )}
      <FirstSteps />
      <Section title={bucketsTexts.title}>
        <Loaded query={buckets} failure={bucketsTexts.failure}>
          {(reply) => <BucketsTable buckets={reply.buckets} />}
        </Loaded>
      </Section>
    </>
  )
}
