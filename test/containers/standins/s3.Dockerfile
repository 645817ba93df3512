# In place of the image versity/versitygw where no registry is reached; the context holds the program.
ARG NODE_IMAGE
FROM ${NODE_IMAGE}
COPY versitygw /usr/local/bin/versitygw
RUN mkdir -p /data
ENTRYPOINT ["/usr/local/bin/versitygw"]
