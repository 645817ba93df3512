/** Channels of a decoded image; 0 takes what the image has. */
export type ChannelsAsked = 0 | 1 | 3 | 4
