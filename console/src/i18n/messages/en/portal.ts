// This file contains the texts of the area "portal" in the language "en".

export const portal = {
  'portal.mine': 'My requests',
  'portal.new': 'New request',
  'portal.search': 'Search in my requests',
  'portal.none': 'You have no requests yet.',
  'portal.what': 'What do you need?',
  'portal.searchTemplates': 'Search, for example for a printer',
  'portal.other': 'Something else',
  'portal.otherHint': 'Describe it in your own words',
  'portal.conversation': 'Conversation',
  'portal.reply': 'Reply',
  'portal.send': 'Send',
  'portal.sent': 'Your reply has been sent.',
  'portal.comment': 'Comment',
  'portal.done': 'The request is now: {state}',
  'portal.showMore': 'Show more',
  'portal.showLess': 'Show less',
} as const;
