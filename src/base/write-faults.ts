// This file lists the errors of writes: bodies, references and preconditions.
// A code is never reused for another error.

export const WRITE_FAULTS = {
  'clocks.default-level':
    '409 Another {type} counts by default already: {condition}. Change that one first, or both in one request.',
  'clocks.stopped':
    '409 "{name}" cannot be changed, because the clock {clock} has stopped. Leave it out{remedy}.',
  'codes.default':
    '409 The code {code} is the value that {properties} gets by default, so it can be neither disabled nor deleted. Change its texts instead.',
  'codes.in-use':
    '409 The code {code} cannot be deleted, because records have it: {uses}. Set "Disabled" to true instead, so that it can no longer be chosen.',
  'codes.outdated': '503 The code lists have changed in the meantime; send the request again.',
  'codes.parent': '400 The code {code} cannot have this parent: {reason}.',
  'codes.symbol':
    '409 The code {code} has the Meaning {meaning}, by which {users} refer to it, so it keeps this Meaning and cannot be deleted. Change its texts instead.',
  'codes.taken':
    '409 The code {code} of the list {list} already has {what}. Use another one, or disable that code.',
  'codes.value':
    '409 The model declares the code {code} of the list {list}, but the installation has given this value to a code of the list {other}. Use another value in the model.',
  'codes.texts': '400 The texts of the code {code} are not valid. {reason}',
  'write.all-links':
    '405 DELETE of all links of "{name}" requires OData-Version: 4.01. To remove one link, send DELETE to {name}(<key>)/$ref, or to {name}/$ref?$id=<URL>.',
  'write.annotation': '400 There is no control information "{name}"; write "{meant}".',
  'write.body': '400 The body is not valid. {first}{more}',
  'write.body-form': '400 {thing} {found}. Send {expected}.',
  'write.calculation':
    '400 A calculated property has no valid value with the sent ones: {reason}. Send other values for the properties from which it is calculated.',
  'write.changed':
    '412 The ETag does not match the current state of the entity; read it again and repeat the change.',
  'write.circle':
    '409 Setting "{name}" would create a cycle: the {type} would become its own ancestor. Nothing was changed.',
  'write.code': '400 The code list {list} has no code {shown}; permitted are {permitted}.{hint}',
  'write.code-ambiguous':
    '400 Several codes of the list {list} have this text ({codes}); send the {value} instead.',
  'write.code-disabled':
    '400 The code {shown} of the list {list} is no longer in use; permitted are {permitted}.',
  'write.code-disagrees':
    '400 {value} and {text} name different codes of the list {list}: {meant} and {codes}. Send only one of them; permitted are {permitted}.',
  'write.condition': '400 {message} ({rule})',
  'write.constraint':
    '400 "{name}" conflicts with the entity referenced by "{navigation}". Remove "{name}", or reference the matching entity.',
  'write.contained':
    '400 The entities of "{name}" belong to their owner and cannot be linked. Send them inline, or {remedy}.',
  'write.contradiction':
    '400 "{name}" is determined by the URL or the enclosing entity, but the body names a different entity; leave it out.',
  'write.delta': '400 A delta payload is not allowed for "{name}" here: {why}.',
  'write.derived-type':
    '400 The entity is of a type derived from {type}, whose properties a PUT replaces, too. Name the type in "@odata.type" or in the URL ({types}), or send PATCH.',
  'write.etag-required':
    '428 {set} requires an ETag with every change; nothing was changed. Send If-Match with the current ETag, or with * to accept any state.',
  'write.exists':
    '412 The entity exists, and If-None-Match excludes its current state; remove the header to change the entity.',
  'write.given-number':
    '400 A load can set numbers of "{name}" up to {greatest}, since new numbers continue after them.',
  'write.homeless':
    '400 An entity of type {type} cannot be created here, because {set} does not contain it. Create it in its own entity set and reference it.',
  'write.immutable': '400 "{name}" can only be set on creation; leave it out.',
  'write.full-list':
    '400 A full list is not allowed for "{name}" here, because it would delete the entities that it leaves out, and they cannot be deleted. Write the changes in "{name}@delta".',
  'write.inline':
    '400 "{name}" cannot contain inline entities in a PATCH or PUT of version 4.0; set the relation with "{name}@odata.bind", or send OData-Version: 4.01.',
  'write.inner-relation':
    '400 "{name}" is part of a value that is stored as a whole and cannot have relations; leave it out.',
  'write.key':
    '400 The service assigns the key "{name}" to new records; leave it out. To change an existing record, use PATCH, or mode=update in imports.',
  'write.key-taken':
    '409 The installation has a record with the value of "{name}" already, and keys of the type Edm.Int64 are unique within the installation. Send another value, or leave it out.',
  'write.item-contradiction':
    '400 The URL addresses the entity by the item {item}, but "{name}" contains another one instead. Add the item, or leave out "{name}".',
  'write.item-repeated': '409 "{name}" contains the item {found} twice; send it once.',
  'write.item-taken':
    '409 Another record has the item {found} in "{name}", and each item occurs once in the set. If you may read that record, {set}/ByReference({found}) returns it.',
  'write.items': '400 "{name}" must have {permitted} ({rule}).',
  'write.media':
    '400 {type} is a media entity type. Send the content in "$value" with "@odata.mediaContentType", or POST it to the collection.',
  'write.media-upsert':
    '400 {type} is a media entity type, and JSON cannot create its content. PUT the content to the same URL with "/$value" first.',
  'write.missing-reference': '400 The reference {text} does not resolve: there is no such {type}.',
  'write.no-principal':
    '409 There is no {type} with the value of "{name}", which determines "{navigation}". Create it first, or send another value.',
  'write.no-etag':
    '412 A collection has no ETag that If-Match could name. Remove the header, or send the ETags of the records in the body.',
  'write.no-item': '404 "{name}" has no item at position {index}.',
  'write.not-found': '404 Nothing exists at {address}.',
  'write.no-value': '404 "{name}" is null, so it has no relations. Set its value first.',
  'write.not-linked': '404 The entity is not linked by "{name}", so there is nothing to remove.',
  'write.not-of-type':
    '400 The entity is not of type {type}; leave "@odata.type" out, or send its actual type.',
  'write.not-shown':
    '400 The response cannot include everything that was sent: {reason} Send Prefer: return=minimal, or name in $expand what it should include.',
  'write.numbers-used-up':
    '409 The numbers of "{name}" are used up: its type ends at {greatest}. The model needs a larger type for it.',
  'write.null': '400 "{name}" of type {type} cannot be null; give it a value.',
  'write.referenced': '409 The record cannot be deleted while other records refer to it. {remedy}',
  'write.read-only':
    '400 "{name}" cannot be changed: the service maintains it, or it can only be set on creation.',
  'write.author': '403 Only its author may change this {type}. Create another {type} to add to it.',
  'write.edit-time':
    '403 A {type} can be changed for {minutes} minutes by its author (setting noteMinutes). Create another {type} to correct it.',
  'write.recorded':
    '403 This {type} was written by the service, so neither it nor its contents can be changed or deleted. Create another {type} to correct it.',
  'write.reference': '400 The reference {text} cannot be used: {reason}',
  'write.refused': '409 {message}',
  'write.related-already':
    '409 There is already a {type} between the two{way}; change that one instead.',
  'write.required': '400 "{name}" of type {type} is required but missing{hint}.',
  'write.reserved':
    '403 Only the service writes a {type} for which "{condition}" is true. Use other values.',
  'write.restricted': '400 "{name}" cannot be set by {action} of {place}; leave it out.',
  'write.rule': '400 "{name}" would not be {permitted} ({rule}).',
  'write.self-relation':
    '409 A {type} relates two different entities, but "{name}" refers to the source entity; name another one.',
  'write.template': '400 The template cannot be used: {reason}',
  'write.template-inside':
    '400 Only the record that the request creates can name a template, not the records inside it; leave it out here.',
  'write.template-json': '400 The template\'s value for "{name}" must be JSON, but it is not.',
  'write.too-deep': '400 The body is nested deeper than {limit} levels.',
  'write.too-large': '400 The body has more than {limit} {what}.',
  'write.too-many':
    '413 The request would change {count} records; the limit is {limit}. Send several requests that change fewer each.',
  'write.twice': '400 "{name}" appears twice; leave one of them out.',
  'write.type': '400 The type {name} in @odata.type cannot be used here: {expected}.{hint}',
  'write.type-form':
    '400 @odata.type must be a text such as "{example}", but it is {found}. Send the text, or omit @odata.type.',
  'write.unknown-navigation': '400 The type {type} has no navigation property "{name}".{hint}',
  'write.unknown-parameter': '400 The action {type} has no parameter "{name}".{hint}',
  'write.unknown-property': '400 The type {type} has no property "{name}".{hint}',
  'write.unnamed':
    '400 The entity of type {type} is not identified; send its "@odata.id" or its key.',
  'write.value': '400 The value {shown} is not valid for "{name}" of type {type}: {expected}',
  'approval.approvers':
    '409 Only {count} can vote, but {required} is {needed}. Require fewer, or add members to the group that approves before the votes are asked for.',
  'approval.closed':
    '409 This vote is closed: the approval was decided or withdrawn, or there is a new round.',
  'approval.open':
    '409 This vote belongs to an open round. Wait for the decision or withdraw the approval, then delete the vote.',
  'approval.required': '409 Votes need a number of approvals. Set {required} to 1 or more.',
  'approval.transition':
    '409 The votes have decided, but no condition of these transitions is true: {symbols}.',
  'approval.voter':
    '403 Only the approver may vote, or the deputy while the approver is out of office.',
  'approval.excluded':
    '403 The vote cannot change any more, because the approver has been blocked or no longer meets the condition for approvers.',
  'workflow.initial':
    '409 A new {type} cannot have the {member} {to}. Create it with one of {initial}, then change the {member}.',
  'workflow.transition':
    '409 The {member} of this {type} cannot change from {from} to {to}. {reason}',
  'workflow.requirements': '409 The {type} lacks what the {member} {to} requires. {first}{more}',
  'workflow.parameter': '400 The parameter "{name}" is not valid: {reason}.',
  'workflow.member':
    '403 The transition to {to} does not let the account change {member} of this {type}. Leave {member} out.',
  'workflow.next': '409 After {from}, the {member} can become {next}.',
  'workflow.roles': '409 The transition "{symbol}" is reserved for {takers}.',
  'workflow.guard': '409 The condition of the transition "{symbol}" is not true: {guard}.',
  'workflow.comment':
    '409 The transition "{symbol}" requires a comment: call Transition with a Comment, or send a note in the same request.',
  'workflow.code':
    '409 The code {code} cannot be disabled, because it is the target of these transitions: {transitions}. Block them in the set Transitions first.',
  'workflow.relation': '409 The {type} cannot be related by {member}. {reason}',
  'workflow.row': '400 The transition is not valid. {reason}',
  'workflow.required': '409 The {member} {to} requires a value of "{name}".',
} as const;
