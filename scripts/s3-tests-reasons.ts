/** Why tests of ceph's s3-tests do not pass. The first reason that fits a test counts. */
export interface Reason {
  readonly group: string
  /** One line. */
  readonly reason: string
  /** Names of tests, without parameters; `*` at the end stands for any ending. */
  readonly tests: readonly string[]
  /** The only mode it is for. */
  readonly mode?: string
}

export const reasons: readonly Reason[] = [
  {
    group: 'other answers than on AWS',
    reason: 'Expects 403 for an X-Amz-Expires that is not 1 to 604800; AWS answers 400.',
    tests: ['test_object_raw_get_x_amz_expires_out_*', 'test_object_raw_put_authenticated_expired'],
    mode: 'aws',
  },
  {
    group: 'Signature Version 2',
    reason: 'Signs with Version 2, which only COMPATIBILITY=aws accepts.',
    mode: 'contract',
    tests: [
      'test_bucket_create_bad_authorization_invalid_aws2',
      'test_bucket_create_bad_date_*',
      'test_bucket_create_bad_ua_*',
      'test_object_create_bad_authorization_in*',
      'test_object_create_bad_contentlength_mismatch_below_aws2',
      'test_object_create_bad_date_*',
      'test_object_create_bad_md5_invalid_garbage_aws2',
      'test_object_create_bad_ua_*',
      'test_cors_presigned_get_object_tenant_v2',
      'test_cors_presigned_get_object_v2',
      'test_cors_presigned_put_object_tenant_v2',
      'test_cors_presigned_put_object_v2',
    ],
  },
  {
    group: 'the contract',
    reason:
      'Creates a bucket in the region `default`; REGION is another one, and REGIONS is empty.',
    tests: ['test_bucket_get_location'],
    mode: 'contract',
  },
  {
    group: 'the contract',
    reason: 'ListMultipartUploads is always empty.',
    tests: ['test_list_multipart_upload'],
    mode: 'contract',
  },
  {
    group: 'the contract',
    reason: 'PutObjectRetention and PutObjectLegalHold get 501 in a bucket without Object Lock.',
    tests: [
      'test_object_lock_put_legal_hold_invalid_bucket',
      'test_object_lock_put_obj_retention_invalid_bucket',
    ],
    mode: 'contract',
  },
  {
    group: 'the contract',
    reason: 'Complete without parts is InvalidArgument, on AWS MalformedXML.',
    tests: ['test_multipart_upload_empty'],
    mode: 'contract',
  },
  {
    group: 'the contract',
    reason: 'Parts of less than 5 MiB are accepted: MIN_PART_MIB is 0.',
    tests: ['test_multipart_upload_size_too_small'],
    mode: 'contract',
  },
  {
    group: 'other answers than on AWS',
    reason: 'A transition of a lifecycle rule gets 501, whatever its date.',
    tests: ['test_lifecycle_transition_set_invalid_date'],
  },
  {
    group: 'bucket logging',
    reason: 'Buckets have no access logs in other buckets; the gateway has one access log.',
    tests: ['test_bucket_logging_*', 'test_put_bucket_logging*', 'test_rm_bucket_logging'],
  },
  {
    group: 'second account',
    reason: 'Expects that another account is refused; there is one account.',
    tests: ['test_bucket_create_exists_nonowner', 'test_object_copy_not_owned_bucket'],
  },
  {
    group: 'second account',
    reason: 'Grants rights to another account by ACL.',
    tests: [
      'test_access_bucket_*',
      'test_bucket_acl_grant_*',
      'test_bucket_header_acl_grants',
      'test_list_multipart_upload_owner',
      'test_object_copy_not_owned_object_bucket',
      'test_object_header_acl_grants',
    ],
  },
  {
    group: 'bucket policies',
    reason:
      'The policy grants more than public reads and listings, or names accounts: refused; without a policy, its status is NoSuchBucketPolicy, as on AWS.',
    tests: [
      'test_bucket_policy*',
      'test_bucketv2_policy*',
      'test_delete_tags_obj_public',
      'test_encryption_sse_c_deny_algo_with_bucket_policy',
      'test_encryption_sse_c_enforced_with_bucket_policy',
      'test_get_authpublic_acl_bucket_policy_status',
      'test_get_bucket_policy_status',
      'test_get_nonpublicpolicy_*',
      'test_get_public_acl_bucket_policy_status',
      'test_get_public_block_deny_bucket_policy',
      'test_get_publicpolicy_acl_bucket_policy_status',
      'test_get_tags_acl_public',
      'test_head_object_404_with_policy_prefix',
      'test_multipart_upload_on_a_bucket_with_policy',
      'test_put_tags_acl_public',
      'test_set_get_del_bucket_policy',
    ],
  },
  {
    group: 'bucket policies',
    reason: 'Its policy names accounts, or it needs an ACL that opens an object (ACLS).',
    tests: ['test_block_public_*', 'test_ignore_public_acls'],
  },
  {
    group: 'ACLs',
    reason: 'ACLs grant nothing: without effect with COMPATIBILITY=aws, refused by default (ACLS).',
    tests: [
      'test_100_continue',
      'test_bucket_acl_canned*',
      'test_bucket_acl_revoke_all',
      'test_bucket_create_special_key_names',
      'test_bucket_list_objects_anonymous',
      'test_bucket_listv2_objects_anonymous',
      'test_expected_bucket_owner',
      'test_object_acl*',
      'test_bucket_concurrent_set_canned_acl',
      'test_bucket_put_bad_canned_acl',
      'test_object_copy_canned_acl',
      'test_object_put_acl_mtime',
      'test_put_bucket_acl_grant_group_read',
      'test_versioned_object_acl*',
    ],
  },
  {
    group: 'ACLs',
    reason:
      'Needs a bucket that is public by an ACL of CreateBucket: without effect, or refused (ACLS).',
    tests: [
      'test_bucket_recreate_new_acl',
      'test_bucket_recreate_overwrite_acl',
      'test_cors_*',
      'test_object_anon_put_write_access',
      'test_object_delete_key_bucket_gone',
      'test_object_raw_authenticated',
      'test_object_raw_authenticated_*',
      'test_object_raw_get',
      'test_object_raw_get_*',
    ],
  },
  {
    group: 'ACLs',
    reason:
      'Its policy names accounts, or it expects that ACLs are refused because of the ownership (ACLS).',
    tests: [
      'test_bucket_create_delete_bucket_ownership',
      'test_create_bucket_*',
      'test_put_bucket_ownership_*',
    ],
  },
  {
    group: 'other answers than on AWS',
    reason: 'Expects InvalidTag for 11 tags; AWS answers BadRequest.',
    tests: ['test_put_excess_tags'],
  },
  {
    group: 'other answers than on AWS',
    reason: 'Sends several conditions in a Filter without And; AWS answers MalformedXML.',
    tests: [
      'test_lifecycle_expiration_noncur_tags1',
      'test_lifecycle_expiration_size_*',
      'test_lifecycle_expiration_tags*',
      'test_lifecycle_expiration_versioned_tags2',
    ],
  },
  {
    group: 'POST forms',
    reason: 'Writes to or reads a bucket without a signature; a form is always signed.',
    tests: [
      'test_post_object_anonymous_request',
      'test_post_object_set_invalid_success_code',
      'test_post_object_set_success_code',
      'test_post_object_success_redirect_action',
      'test_post_object_tags_anonymous_request',
    ],
  },
  {
    group: 'POST forms',
    reason:
      'Its policy has no condition for x-amz-checksum-sha256, which AWS requires of each field.',
    tests: ['test_post_object_upload_checksum'],
  },
  {
    group: 'POST forms',
    reason: 'Keys of customers and of KMS are refused; the contract also refuses SSE-S3.',
    tests: [
      'test_encryption_sse_c_post_object_authenticated_request',
      'test_sse_kms_default_post_object_authenticated_request',
      'test_sse_kms_post_object_authenticated_request',
      'test_sse_s3_default_post_object_authenticated_request',
    ],
  },
  {
    group: 'encryption',
    reason: 'Keys of customers and of KMS are refused; the contract also refuses SSE-S3.',
    tests: [
      'test_copy_enc',
      'test_copy_part_enc',
      'test_delete_bucket_encryption_*',
      'test_encrypted_transfer_*',
      'test_encryption_key_no_sse_c',
      'test_encryption_sse_c_*',
      'test_get_bucket_encryption_*',
      'test_get_sse_c_encrypted_object_attributes',
      'test_multipart_sse_c_get_part',
      'test_non_multipart_sse_c_get_part',
      'test_put_bucket_encryption_*',
      'test_put_obj_enc_conflict_*',
      'test_sse_kms_*',
      'test_sse_s3_*',
    ],
  },
  {
    group: "RGW's own extensions",
    reason: 'Reads the usage in headers and documents that only RGW has.',
    tests: ['test_account_usage', 'test_bucket_head_extended', 'test_head_bucket_usage'],
  },
  {
    group: "RGW's own extensions",
    reason:
      'Expects that the parameter allow-unordered is refused with a delimiter; only RGW has it.',
    tests: ['test_bucket_list_unordered', 'test_bucket_listv2_unordered'],
  },
  {
    group: "RGW's own extensions",
    reason:
      "Waits for lifecycle rules with Ceph's debug setting, by which a day lasts ten seconds.",
    tests: [
      'test_delete_marker_expiration',
      'test_lifecycle_deletemarker_expiration*',
      'test_lifecycle_expiration',
      'test_lifecycle_expiration_newer_noncurrent',
      'test_lifecycle_multipart_expiration',
      'test_lifecycle_noncur_expiration',
      'test_lifecyclev2_expiration',
    ],
  },
  {
    group: 'other answers than on AWS',
    reason: "Expects that names with `.-` or `-.` are refused; AWS's rules allow them.",
    tests: ['test_bucket_create_naming_dns_*'],
  },
  {
    group: 'other answers than on AWS',
    reason: 'Expects an empty list for an unsigned ListBuckets; AWS refuses it.',
    tests: ['test_list_buckets_anonymous'],
  },
  {
    group: 'other answers than on AWS',
    reason: 'Expects `x-amz-delete-marker: false` in a bucket that never had versions.',
    tests: ['test_delete_marker_nonversioned'],
  },
  {
    group: 'other answers than on AWS',
    reason:
      'Expects 204 for DeleteObject with If-Match of an object that does not exist; AWS and Bucketry answer 404.',
    tests: [
      'test_delete_object_current_if_match',
      'test_delete_object_if_match',
      'test_delete_object_version_if_match',
      'test_delete_objects_current_if_match',
    ],
  },
  {
    group: 'other answers than on AWS',
    reason:
      'Deletes on condition of a size or a time, which AWS has for directory buckets only. Refused.',
    tests: [
      'test_delete_object_current_if_match_*',
      'test_delete_object_if_match_*',
      'test_delete_object_version_if_match_*',
      'test_delete_objects_current_if_match_*',
      'test_delete_objects_if_match_*',
      'test_delete_objects_version_if_match_*',
    ],
  },
  {
    group: 'other answers than on AWS',
    reason:
      'Expects InvalidRange for UploadPartCopy beyond the end of the source; AWS answers InvalidArgument.',
    tests: ['test_multipart_copy_invalid_range'],
  },
  {
    group: 'other answers than on AWS',
    reason:
      'Expects 400 InvalidPart for a GET of a part that does not exist; AWS answers 416 InvalidPartNumber.',
    tests: [
      'test_multipart_get_part',
      'test_multipart_single_get_part',
      'test_non_multipart_get_part',
    ],
  },
  {
    group: 'other answers than on AWS',
    reason:
      'Completes with part 1 twice in the list, which is not in ascending order: InvalidPartOrder.',
    tests: ['test_multipart_resend_first_finishes_last'],
  },
  {
    group: 'other answers than on AWS',
    reason:
      'Expects BadDigest for a checksum that has not the form of one; Bucketry answers InvalidDigest.',
    tests: ['test_object_checksum_*'],
  },
  {
    group: 'other answers than on AWS',
    reason: 'Expects 400 for a key that is legal UTF-8, and does not exist: 404.',
    tests: ['test_object_read_unreadable'],
  },
  {
    group: 'other answers than on AWS',
    reason:
      'Expects metadata beyond ASCII as it was sent; it is returned in words of RFC 2047, as on AWS.',
    tests: ['test_object_set_get_unicode_metadata'],
  },
  {
    group: 'other answers than on AWS',
    reason: 'Sends a body without a length; AWS refuses it.',
    tests: ['test_object_write_with_chunked_transfer_encoding'],
    mode: 'aws',
  },
  {
    group: 'other answers than on AWS',
    reason: 'Expects 404 NoSuchKey for GetObjectTorrent, which is not implemented: 501.',
    tests: ['test_get_object_torrent'],
  },
  {
    group: 'the suite and boto3',
    reason:
      'Expects a Prefix without URL encoding; boto3 asks for the encoding and does not decode this field.',
    tests: ['test_bucket_list_prefix_unreadable'],
  },
  {
    group: 'the suite and boto3',
    reason: 'Changes a header before boto3 signs, which writes it again: the request is good.',
    tests: [
      'test_bucket_create_bad_authorization_*',
      'test_bucket_create_bad_date_none_aws2',
      'test_object_create_bad_authorization_*',
      'test_object_create_bad_date_none_aws2',
      'test_object_create_bad_contentlength_none',
    ],
  },
  {
    group: 'the suite and boto3',
    reason: 'Needs an account without other buckets: passes if it runs alone.',
    tests: ['test_list_buckets_paginated'],
  },
  {
    group: 'Date instead of x-amz-date',
    reason:
      'Signs the header Date instead of x-amz-date, which the contract requires. COMPATIBILITY=aws accepts it.',
    mode: 'contract',
    tests: ['test_object_create_amz_date_and_no_date', 'test_object_create_date_and_amz_date'],
  },
  {
    group: 'the contract',
    reason: 'Forms are 405; tags, SSE-C and PublicAccessBlock 501.',
    // biome-ignore format: one line
    tests: ['test_post_object_*', 'test_put_*', 'test_set_*', 'test_get_obj_*', 'test_get_undefined_public_block', 'test_lifecycle_expiration_header_*'],
    mode: 'contract',
  },
]
