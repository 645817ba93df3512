# In place of the official redis image where no registry is reached: same user, same folder, same command.
ARG NODE_IMAGE
FROM ${NODE_IMAGE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends redis-server \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir -p /data && chown 999:999 /data
WORKDIR /data
USER 999:999
CMD ["redis-server"]
